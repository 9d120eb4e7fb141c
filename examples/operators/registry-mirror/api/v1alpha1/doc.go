// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=registry.example.org

// Package v1alpha1 is version v1alpha1 of the API group registry.example.org. Its one kind is
// the [RegistryMirror].
package v1alpha1
