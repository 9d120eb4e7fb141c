package minicluster

import (
	"crypto/ecdh"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// curveFile is the key of the certificate in its Secret.
const curveFile = "curve.cert"

// newCertificate generates a CURVE certificate in the format of flux keygen: a Curve25519 key pair in
// Z85, and a name that brokers log. It reads 32 bytes from random.
func newCertificate(name string, random io.Reader) (string, error) {
	secret := make([]byte, 32)
	if _, err := io.ReadFull(random, secret); err != nil {
		return "", fmt.Errorf("reading a secret key: %w", err)
	}
	key, err := ecdh.X25519().NewPrivateKey(secret)
	if err != nil {
		return "", fmt.Errorf("deriving a public key: %w", err)
	}
	return fmt.Sprintf(`#  ZeroMQ CURVE **Secret** Certificate
#  DO NOT DISTRIBUTE

metadata
    name = "%s"
curve
    public-key = "%s"
    secret-key = "%s"
`, name, z85(key.PublicKey().Bytes()), z85(secret)), nil
}

// z85 encodes data, whose length is a multiple of 4, in ZeroMQ's Z85 (rfc.zeromq.org/spec/32).
func z85(data []byte) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	var b strings.Builder
	for ; len(data) >= 4; data = data[4:] {
		value := binary.BigEndian.Uint32(data)
		for _, divisor := range []uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			b.WriteByte(alphabet[value/divisor%85])
		}
	}
	return b.String()
}

var (
	publicKey = regexp.MustCompile(`(?m)^\s+public-key\s*=\s*"[^"\s]{40}"\s*$`)
	secretKey = regexp.MustCompile(`(?m)^\s+secret-key\s*=\s*"[^"\s]{40}"\s*$`)
)

// isCertificate reports whether s looks like a CURVE certificate with both keys.
func isCertificate(s string) bool {
	return publicKey.MatchString(s) && secretKey.MatchString(s)
}
