package minicluster

import (
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

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

// maxPassword is the most characters that a user's password may have.
const maxPassword = 8

// keys are the secrets of a MiniCluster. What it does not need is empty.
type keys struct {
	certificate string            // of the brokers; empty if it is in a Secret of the user
	secretKey   string            // of the Flux RESTful API
	token       string            // password of its first user
	passwords   map[string]string // by user
}

// newKeys takes each key from the MiniCluster, else from the existing ConfigMaps, else makes it.
func newKeys(mc *api.MiniCluster, o Options) (*keys, error) {
	random := o.Rand
	if random == nil {
		random = noReader{}
	}
	out := &keys{passwords: map[string]string{}}
	var err error
	if flux := mc.Spec.Flux; flux.CurveCertSecret == "" {
		out.certificate, err = first(flux.CurveCert, existing(o, CurveConfigMap(mc), curveKey), func() (string, error) {
			return newCertificate(mc.Name, random)
		})
	}
	if restful := mc.Spec.FluxRestful; err == nil && servesRestful(mc) {
		token := func() (string, error) { return draw(random, hex.EncodeToString) }
		out.secretKey, err = first(restful.SecretKey, existing(o, RestfulConfigMap(mc), restfulSecretKey), token)
		if err == nil {
			out.token, err = first(restful.Token, existing(o, RestfulConfigMap(mc), restfulToken), token)
		}
	}
	for _, user := range mc.Spec.Users {
		if err != nil {
			break
		}
		out.passwords[user.Name], err = first(user.Password,
			existing(o, RestfulConfigMap(mc), passwordPrefix+user.Name), func() (string, error) {
				return draw(random, func(b []byte) string {
					return strings.ToLower(base32.StdEncoding.EncodeToString(b))[:maxPassword]
				})
			})
	}
	return out, err
}

// first returns the first text that there is.
func first(given, existing string, create func() (string, error)) (string, error) {
	switch {
	case given != "":
		return given, nil
	case existing != "":
		return existing, nil
	}
	return create()
}

func existing(o Options, configMap, key string) string {
	for _, c := range o.Existing {
		if c.Name == configMap {
			return c.Data[key]
		}
	}
	return ""
}

// draw encodes 16 random bytes.
func draw(random io.Reader, encode func([]byte) string) (string, error) {
	bytes := make([]byte, 16)
	if _, err := io.ReadFull(random, bytes); err != nil {
		return "", fmt.Errorf("drawing a password: %w", err)
	}
	return encode(bytes), nil
}

// noReader is what there is to draw from without Options.Rand.
type noReader struct{}

func (noReader) Read([]byte) (int, error) {
	return 0, errors.New("no source of random bytes was given")
}

// servesRestful says whether the lead broker serves the Flux RESTful API.
func servesRestful(mc *api.MiniCluster) bool {
	c := fluxContainer(mc)
	return c != nil && c.Command == "" && !mc.Spec.Interactive && !c.Diagnostics && mc.Spec.Flux.Bursting.LeadBroker == nil
}

// fluxContainer returns the container that runs Flux, nil if none does.
func fluxContainer(mc *api.MiniCluster) *api.MiniClusterContainer {
	for i := range mc.Spec.Containers {
		if mc.Spec.Containers[i].RunFlux {
			return &mc.Spec.Containers[i]
		}
	}
	return nil
}
