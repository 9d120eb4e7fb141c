# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Copyrator, the copy operator: keeps copies of ConfigMaps and Secrets in other namespaces.

What is to be done is worked out by pure functions: ``objects`` reads manifests, ``plan`` compares
what there is with what the rules ask for, and ``status`` says how far a rule has got. ``core`` talks
to the API server, ``cache`` follows it, and ``operator`` puts them together.
"""

__version__ = "0.2.0"
