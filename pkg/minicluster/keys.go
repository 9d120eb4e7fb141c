package minicluster

import (
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// The keys of the ConfigMap of the Flux RESTful API.
const (
	restfulBranch    = "branch"
	restfulPort      = "port"
	restfulUsername  = "username"
	restfulToken     = "token"
	restfulSecretKey = "secret-key"
	passwordPrefix   = "password."
)

// maxPassword is the maximum length of a user's password.
const maxPassword = 8

// SetKeys sets the data of a ConfigMap of Set.Keys. Each key is taken from the spec, else from
// existing, the data of the ConfigMap that is in use, else it is generated from random.
func (d *Desired) SetKeys(configMap *corev1.ConfigMap, existing map[string]string, random io.Reader) error {
	data, secrets := settings(d.mc), restfulSecrets(d.mc)
	if configMap.Name == CurveConfigMap(d.mc) {
		data, secrets = map[string]string{}, curveSecrets(d.mc)
	}
	for _, s := range secrets {
		value := s.given
		if value == "" {
			value = existing[s.key]
		}
		if value == "" {
			var err error
			if value, err = s.generate(random); err != nil {
				return fmt.Errorf("generating %s of ConfigMap %s: %w", s.key, configMap.Name, err)
			}
		}
		data[s.key] = value
	}
	configMap.Data = data
	return nil
}

// keyConfigMaps returns the ConfigMaps of Set.Keys. A certificate in a Secret of the user needs none.
func keyConfigMaps(mc *api.MiniCluster) []*corev1.ConfigMap {
	var all []*corev1.ConfigMap
	if mc.Spec.Flux.CurveCertSecret == "" {
		all = append(all, configMap(mc, CurveConfigMap(mc), nil))
	}
	if servesRestful(mc) || MultiUser(mc) {
		all = append(all, configMap(mc, RestfulConfigMap(mc), nil))
	}
	return all
}

// secret is an entry of a ConfigMap that is generated unless the spec gives it.
type secret struct {
	key, given string
	generate   func(random io.Reader) (string, error)
}

func curveSecrets(mc *api.MiniCluster) []secret {
	return []secret{{curveKey, mc.Spec.Flux.CurveCert, func(random io.Reader) (string, error) {
		return newCertificate(mc.Name, random)
	}}}
}

// settings are what the entrypoint reads of the Flux RESTful API beside restfulSecrets.
func settings(mc *api.MiniCluster) map[string]string {
	if !servesRestful(mc) {
		return map[string]string{}
	}
	restful := mc.Spec.FluxRestful
	return map[string]string{
		restfulBranch:   restful.Branch,
		restfulPort:     strconv.Itoa(int(restful.Port)),
		restfulUsername: restful.Username,
	}
}

// restfulSecrets are those of the Flux RESTful API, whose first user has the token for a password,
// and the passwords of the users.
func restfulSecrets(mc *api.MiniCluster) []secret {
	var all []secret
	if restful := mc.Spec.FluxRestful; servesRestful(mc) {
		all = append(all,
			secret{restfulSecretKey, restful.SecretKey, newToken},
			secret{restfulToken, restful.Token, newToken})
	}
	for _, user := range mc.Spec.Users {
		all = append(all, secret{passwordPrefix + user.Name, user.Password, newPassword})
	}
	return all
}

func newToken(random io.Reader) (string, error) {
	bytes, err := read16(random)
	return hex.EncodeToString(bytes), err
}

func newPassword(random io.Reader) (string, error) {
	bytes, err := read16(random)
	return strings.ToLower(base32.StdEncoding.EncodeToString(bytes))[:maxPassword], err
}

func read16(random io.Reader) ([]byte, error) {
	bytes := make([]byte, 16)
	_, err := io.ReadFull(random, bytes)
	return bytes, err
}

// servesRestful reports whether the lead broker serves the Flux RESTful API.
func servesRestful(mc *api.MiniCluster) bool {
	c := fluxContainer(mc)
	return c != nil && c.Command == "" && !mc.Spec.Interactive && !c.Diagnostics && mc.Spec.Flux.Bursting.LeadBroker == nil
}

// fluxContainer returns the container that runs Flux, or nil.
func fluxContainer(mc *api.MiniCluster) *api.MiniClusterContainer {
	for i := range mc.Spec.Containers {
		if mc.Spec.Containers[i].RunFlux {
			return &mc.Spec.Containers[i]
		}
	}
	return nil
}
