package minicluster

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// The keys of the Secret of the Flux RESTful API and the users.
const (
	restfulToken     = "token"
	restfulSecretKey = "secret-key"
	passwordPrefix   = "password."
)

// maxPassword is the maximum length of a user's password.
const maxPassword = 8

// mungeKeyLength is the length of a generated munge key in bytes.
const mungeKeyLength = 128

// SetKeys sets the data of a Secret of Set.Keys. Each key is taken from the spec, else it is generated
// from random.
func (d *Desired) SetKeys(secret *corev1.Secret, random io.Reader) error {
	data := map[string][]byte{}
	for _, k := range keySecrets(d.mc) {
		if k.name(d.mc) != secret.Name {
			continue
		}
		for _, key := range k.keys {
			value := []byte(key.given)
			if key.given == "" {
				var err error
				if value, err = key.generate(random); err != nil {
					return fmt.Errorf("generating %s of Secret %s: %w", key.key, secret.Name, err)
				}
			}
			data[key.key] = value
		}
	}
	secret.Data = data
	return nil
}

// keySecret describes a Secret of Set.Keys.
type keySecret struct {
	suffix string // of its name
	keys   []key
}

// key is an entry of a Secret that is generated unless the spec gives it.
type key struct {
	key, given string
	generate   func(random io.Reader) ([]byte, error)
}

// keySecrets returns the Secrets that the pods of a MiniCluster need beside those of the user.
func keySecrets(mc *api.MiniCluster) []keySecret {
	var all []keySecret
	for _, k := range []keySecret{curveKeys(mc), mungeKeys(mc), restfulKeys(mc)} {
		if len(k.keys) > 0 {
			all = append(all, k)
		}
	}
	return all
}

// name returns the name of the Secret. The operator can neither read nor change Secrets, so the name
// has to be another one for each MiniCluster that ever had this name, and for each set of keys.
func (k keySecret) name(mc *api.MiniCluster) string {
	name := mc.Name + "-" + k.suffix
	if mc.UID == "" {
		return name // the MiniCluster is only printed
	}
	sum := sha256.New()
	sum.Write([]byte(mc.UID))
	for _, key := range k.keys {
		sum.Write([]byte("\n" + key.key))
	}
	return name + "-" + hex.EncodeToString(sum.Sum(nil)[:5])
}

// secret returns the Secret, without data.
func (k keySecret) secret(mc *api.MiniCluster) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: meta(mc, k.name(mc), Labels(mc)),
		Type:       corev1.SecretTypeOpaque,
		Immutable:  new(true),
	}
}

// curveKeys is the CURVE certificate of the brokers, unless it is in a Secret of the user.
func curveKeys(mc *api.MiniCluster) keySecret {
	k := keySecret{suffix: "curve"}
	if mc.Spec.Flux.CurveCertSecret == "" {
		k.keys = []key{{curveFile, mc.Spec.Flux.CurveCert, func(random io.Reader) ([]byte, error) {
			certificate, err := newCertificate(mc.Name, random)
			return []byte(certificate), err
		}}}
	}
	return k
}

// mungeKeys is the munge key by which users prove who they are, unless it is in a Secret of the user. One
// that comes with a public image would let each user act as any other.
func mungeKeys(mc *api.MiniCluster) keySecret {
	k := keySecret{suffix: "munge"}
	if MultiUser(mc) && mc.Spec.Flux.MungeSecret == "" {
		k.keys = []key{{mungeFile, "", func(random io.Reader) ([]byte, error) { return read(random, mungeKeyLength) }}}
	}
	return k
}

// restfulKeys are the secrets of the Flux RESTful API, whose first user has the token for a password,
// and the passwords of the users.
func restfulKeys(mc *api.MiniCluster) keySecret {
	k := keySecret{suffix: "flux-restful"}
	if restful := mc.Spec.FluxRestful; servesRestful(mc) {
		k.keys = append(k.keys,
			key{restfulSecretKey, restful.SecretKey, newToken},
			key{restfulToken, restful.Token, newToken})
	}
	for _, user := range mc.Spec.Users {
		k.keys = append(k.keys, key{passwordPrefix + user.Name, user.Password, newPassword})
	}
	return k
}

func newToken(random io.Reader) ([]byte, error) {
	bytes, err := read(random, 16)
	return []byte(hex.EncodeToString(bytes)), err
}

func newPassword(random io.Reader) ([]byte, error) {
	bytes, err := read(random, 16)
	return []byte(strings.ToLower(base32.StdEncoding.EncodeToString(bytes))[:maxPassword]), err
}

func read(random io.Reader, n int) ([]byte, error) {
	bytes := make([]byte, n)
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
