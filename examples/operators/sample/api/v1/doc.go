// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=nuvolaris.org

// Package v1 is version v1 of the API group nuvolaris.org. Its one kind is the [Sample],
// which says how many replicas the Deployment of its namespace is to have.
package v1
