// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/flux-framework/flux-operator/internal/apiserver"
)

// problem is what is wrong with a value.
type problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// validate lists what is wrong with an object that is to be created.
func validate(s *apiserver.Server, line json.RawMessage) (any, error) {
	var object map[string]any
	if err := kjson.Unmarshal(line, &object); err != nil { // numbers as the API server reads them
		return nil, err
	}
	problems := []problem{}
	for _, err := range s.Create(object) {
		problems = append(problems, problem{err.Field, err.ErrorBody()})
	}
	return problems, nil
}
