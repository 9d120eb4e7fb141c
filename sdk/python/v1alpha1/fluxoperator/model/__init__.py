# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The classes of Kubernetes that the models use, each in a module of its own.

They are those of the installed ``kubernetes``: nothing is defined here.
"""
