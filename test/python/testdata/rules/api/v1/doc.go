// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

// +k8s:openapi-gen=true
// +groupName=rules.example.org

// Package v1 has a field for each rule that an API may declare and MiniCluster does not.
package v1
