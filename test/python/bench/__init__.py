# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Measures the Python SDK beside what people use instead: `make bench ONLY=python`."""
