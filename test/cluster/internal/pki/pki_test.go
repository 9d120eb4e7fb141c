package pki_test

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/pki"
)

func authority(t *testing.T, name string) *pki.Authority {
	t.Helper()
	generated, err := pki.NewAuthority(name, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	// As a later command reads it.
	read, err := pki.ParseAuthority(generated.Pair)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func leaf(t *testing.T, pair pki.Pair) *x509.Certificate {
	t.Helper()
	parsed, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := parsed.PrivateKey.(*ecdsa.PrivateKey); !ok {
		t.Errorf("the key is %T, want an elliptic one", parsed.PrivateKey)
	}
	return parsed.Leaf
}

func pool(target *pki.Authority) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(target.Certificate)
	return pool
}

func TestServerIsKnownByItsNames(t *testing.T) {
	signer, other := authority(t, "one"), authority(t, "other")
	pair, err := signer.Server("server", "kubernetes.default.svc", "10.96.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate := leaf(t, pair)
	for _, host := range []string{"127.0.0.1", "::1", "localhost", "kubernetes.default.svc", "10.96.0.1"} {
		if _, err := certificate.Verify(x509.VerifyOptions{DNSName: host, Roots: pool(signer)}); err != nil {
			t.Errorf("as %s: %v", host, err)
		}
	}
	if _, err := certificate.Verify(x509.VerifyOptions{DNSName: "example.org", Roots: pool(signer)}); err == nil {
		t.Error("it passes for example.org")
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool(other)}); err == nil {
		t.Error("another authority vouches for it")
	}
	// What strict readers, such as Python 3.13, ask for.
	if len(certificate.AuthorityKeyId) == 0 {
		t.Error("it does not say which key has signed it")
	}
}

func TestClientIsAUserInGroups(t *testing.T) {
	signer := authority(t, "one")
	pair, err := signer.Client("alice", "dev", "ops")
	if err != nil {
		t.Fatal(err)
	}
	certificate := leaf(t, pair)
	if certificate.Subject.CommonName != "alice" ||
		!slices.Equal(certificate.Subject.Organization, []string{"dev", "ops"}) {
		t.Errorf("it is for %v", certificate.Subject)
	}
	clients := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool(signer), KeyUsages: clients}); err != nil {
		t.Error(err)
	}
	servers := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool(signer), KeyUsages: servers}); err == nil {
		t.Error("it passes for a server")
	}
}

func TestBadAuthorityIsRefused(t *testing.T) {
	if _, err := pki.ParseAuthority(pki.Pair{Certificate: []byte("no"), Key: []byte("no")}); err == nil {
		t.Error("it was read")
	}
}
