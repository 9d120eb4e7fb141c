module github.com/flux-framework/flux-operator/hack/release

go 1.26.0

toolchain go1.26.8

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/google/go-containerregistry v0.22.1
	github.com/google/licensecheck v0.3.1
	github.com/google/uuid v1.6.0
	github.com/package-url/packageurl-go v0.1.7
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spdx/tools-golang v0.5.7
	github.com/spf13/cobra v1.10.2
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/mod v0.42.0
)

require (
	github.com/anchore/go-struct-converter v0.1.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/klauspost/compress v1.19.2 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	github.com/spf13/pflag v1.0.10 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
