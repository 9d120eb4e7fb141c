package minicluster

import (
	"bytes"
	"crypto/ecdh"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestZ85 uses the example of ZeroMQ's specification 32.
func TestZ85(t *testing.T) {
	if got := z85([]byte{0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B}); got != "HelloWorld" {
		t.Errorf("z85() = %q", got)
	}
	if got := z85([]byte{0, 0, 0, 0, 255, 255, 255, 255}); got != "00000%nSc0" {
		t.Errorf("z85() = %q", got)
	}
}

// TestCertificate uses the key pair of the examples in zmq_curve(7).
func TestCertificate(t *testing.T) {
	const public, secret = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
	got, err := newCertificate("lammps", bytes.NewReader(decodeZ85(secret)))
	if err != nil {
		t.Fatal(err)
	}
	want := `metadata
    name = "lammps"
curve
    public-key = "` + public + `"
    secret-key = "` + secret + `"
`
	if !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "#  ZeroMQ CURVE **Secret** Certificate\n") {
		t.Errorf("newCertificate() =\n%s", got)
	}
	if !isCertificate(got) || isCertificate(strings.Replace(got, public, "short", 1)) || isCertificate("") {
		t.Error("isCertificate is wrong")
	}
	if _, err := newCertificate("lammps", strings.NewReader("too short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("newCertificate() = %v", err)
	}
	if _, err := newCertificate("lammps", iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("newCertificate() = %v", err)
	}
}

// TestKeyPair: the public key of a new certificate matches its secret key.
func TestKeyPair(t *testing.T) {
	certificate, err := newCertificate("x", strings.NewReader(strings.Repeat("secret", 6)))
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) string {
		_, rest, _ := strings.Cut(certificate, name+` = "`)
		value, _, _ := strings.Cut(rest, "\"")
		return value
	}
	key, err := ecdh.X25519().NewPrivateKey(decodeZ85(field("secret-key")))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(decodeZ85(field("public-key")), key.PublicKey().Bytes()) {
		t.Errorf("the keys do not match:\n%s", certificate)
	}
}

func decodeZ85(text string) []byte {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	var out []byte
	for ; len(text) >= 5; text = text[5:] {
		var value uint32
		for i := range 5 {
			value = value*85 + uint32(strings.IndexByte(alphabet, text[i]))
		}
		out = append(out, byte(value>>24), byte(value>>16), byte(value>>8), byte(value))
	}
	return out
}
