module github.com/flux-framework/flux-operator/test/cluster

go 1.26.0

require (
	github.com/gofrs/flock v0.13.1
	github.com/spf13/cobra v1.10.2
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
