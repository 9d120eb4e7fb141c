# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""The kinds of Kubernetes itself that the operator reads and writes, for the SDK's ``Client``.

Their objects are built with the classes of ``kubernetes``; here is how the API server calls them.
"""

from __future__ import annotations

from typing import Tuple, Type

from registry_mirror_sdk.client import Object


class Service(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Service", "services"


class PersistentVolumeClaim(Object):
    API_VERSION, GROUP, VERSION = "v1", "", "v1"
    KIND, PLURAL = "PersistentVolumeClaim", "persistentvolumeclaims"


class StatefulSet(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "apps/v1", "apps", "v1", "StatefulSet", "statefulsets"


class DaemonSet(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "apps/v1", "apps", "v1", "DaemonSet", "daemonsets"


class Pod(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Pod", "pods"


class Event(Object):
    API_VERSION, GROUP, VERSION, KIND, PLURAL = "v1", "", "v1", "Event", "events"


class CustomResourceDefinition(Object):
    API_VERSION, GROUP, VERSION = "apiextensions.k8s.io/v1", "apiextensions.k8s.io", "v1"
    KIND, PLURAL, NAMESPACED = "CustomResourceDefinition", "customresourcedefinitions", False


# What a mirror is made of.
CHILDREN: Tuple[Type[Object], ...] = (Service, PersistentVolumeClaim, StatefulSet, DaemonSet)
