package minicluster

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

var duration = regexp.MustCompile(`^(\d+(\.\d+)?(ms|s|m|h|d)?)?$`)

func (c *checks) flux(mc *api.MiniCluster) {
	flux, at := mc.Spec.Flux, field.NewPath("spec", "flux")
	if !path.IsAbs(flux.InstallRoot) || strings.ContainsAny(flux.InstallRoot, "\"\\:\n\r") {
		c.invalid(at.Child("installRoot"), flux.InstallRoot,
			"must be an absolute path without quotes, backslashes and colons")
	}
	c.line(at.Child("optionFlags"), flux.OptionFlags)
	c.matches(at.Child("connectTimeout"), *flux.ConnectTimeout, duration,
		"a number with a unit, such as 500ms or 5s, or empty")
	if level := *flux.LogLevel; level < 0 || level > 7 {
		c.invalid(at.Child("logLevel"), level, "must be from 0 (emergencies) to 7 (debugging)")
	}
	c.oneOf(at.Child("scheduler", "queuePolicy"), flux.Scheduler.QueuePolicy, "fcfs", "easy", "hybrid", "conservative")
	if flux.CurveCert != "" && !isCertificate(flux.CurveCert) {
		c.invalid(at.Child("curveCert"), field.OmitValueType{},
			"must be a certificate from flux keygen, with a public-key and a secret-key of 40 characters")
	}
	c.may(at.Child("curveCertSecret"), flux.CurveCertSecret, validation.IsDNS1123Subdomain)
	c.may(at.Child("mungeSecret"), flux.MungeSecret, validation.IsDNS1123Subdomain)
	c.bursting(mc)

	archive := field.NewPath("spec", "archive", "path")
	if file := mc.Spec.Archive.Path; file != "" && (!path.IsAbs(file) || strings.ContainsAny(file, ",\n\r")) {
		c.invalid(archive, file, "must be the absolute path of a file, without commas")
	}
}

func (c *checks) bursting(mc *api.MiniCluster) {
	bursting, at := mc.Spec.Flux.Bursting, field.NewPath("spec", "flux", "bursting")
	if bursting.Hostlist != "" && len(bursting.Clusters) > 0 {
		c.add(field.Forbidden(at.Child("hostlist"), "may not be combined with clusters"))
	}
	if strings.ContainsAny(bursting.Hostlist, " \t\n\r") {
		c.invalid(at.Child("hostlist"), bursting.Hostlist, "must not contain white space")
	}
	lead := bursting.LeadBroker
	first := mc.Name
	if lead != nil {
		first = lead.Name
		broker := at.Child("leadBroker")
		c.must(broker.Child("name"), lead.Name, validation.IsDNS1123Label)
		c.atLeast(broker.Child("size"), lead.Size, 1)
		c.port(broker.Child("port"), lead.Port)
		if lead.Address == "" || strings.ContainsAny(lead.Address, " \t\n\r/%") {
			c.invalid(broker.Child("address"), lead.Address, "must be an IP address or a host name")
		}
	}
	seen := map[string]bool{first: true}
	for i, cluster := range bursting.Clusters {
		one := at.Child("clusters").Index(i)
		c.must(one.Child("name"), cluster.Name, validation.IsDNS1123Label)
		c.atLeast(one.Child("size"), burstedSize(mc, cluster), 1)
		if seen[cluster.Name] {
			c.invalid(one.Child("name"), cluster.Name, "must be unique, and differ from the name of the lead broker's cluster")
		}
		seen[cluster.Name] = true
	}
	own := func(cluster api.BurstedCluster) bool {
		return cluster.Name == mc.Name && burstedSize(mc, cluster) >= MaximumSize(mc)
	}
	if lead != nil && bursting.Hostlist == "" && !slices.ContainsFunc(bursting.Clusters, own) {
		c.invalid(at.Child("clusters"), len(bursting.Clusters),
			"must include one with the name and at least the maximum size of this MiniCluster, for its own brokers")
	}
}
