package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

// runCoreDNS runs CoreDNS with the plugins that the Corefile of package machine names.
func runCoreDNS() {
	dnsserver.Directives = []string{"bind", "errors", "kubernetes"}
	coremain.Run()
}
