package sbom

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

const (
	authors = "The Flux Operator Authors"
	tool    = "flux-operator-release"
	unknown = "NOASSERTION"
)

// SPDX encodes a document as SPDX 2.3 JSON.
func SPDX(d *Document) ([]byte, error) {
	doc := &v2_3.Document{
		SPDXVersion:       v2_3.Version,
		DataLicense:       v2_3.DataLicense,
		SPDXIdentifier:    "DOCUMENT",
		DocumentName:      d.Subject.Name,
		DocumentNamespace: d.namespace(),
		CreationInfo: &v2_3.CreationInfo{
			Created:  d.Date.Format(time.RFC3339),
			Creators: []common.Creator{{CreatorType: "Organization", Creator: authors}, {CreatorType: "Tool", Creator: tool}},
		},
	}
	subject := spdxPackage("Artifact", d.Subject)
	subject.PackageFileName = d.Subject.Name
	doc.Packages = append(doc.Packages, subject)
	relate := func(from, to common.ElementID, how string) {
		doc.Relationships = append(doc.Relationships, &v2_3.Relationship{
			RefA: common.MakeDocElementID("", string(from)), RefB: common.MakeDocElementID("", string(to)), Relationship: how,
		})
	}
	relate("DOCUMENT", subject.PackageSPDXIdentifier, common.TypeRelationshipDescribe)
	for i, c := range d.Components {
		one := spdxPackage(fmt.Sprintf("Package-%d", i+1), c)
		doc.Packages = append(doc.Packages, one)
		how := common.TypeRelationshipContains
		if c.Version == "" || c.Kind == Container {
			how = common.TypeRelationshipDependsOn
		}
		relate(subject.PackageSPDXIdentifier, one.PackageSPDXIdentifier, how)
	}
	var out bytes.Buffer
	err := spdxjson.Write(doc, &out, spdxjson.Indent("  "))
	return out.Bytes(), err
}

func spdxPackage(id string, c Component) *v2_3.Package {
	p := &v2_3.Package{
		PackageSPDXIdentifier:   spdx.ElementID(id),
		PackageName:             c.Name,
		PackageVersion:          c.Version,
		PackageDownloadLocation: unknown,
		PackageLicenseConcluded: unknown,
		PackageLicenseDeclared:  unknown,
		PackageCopyrightText:    unknown,
		PrimaryPackagePurpose:   strings.ToUpper(string(c.Kind)),
	}
	if c.License != "" {
		p.PackageLicenseDeclared = c.License
	}
	if c.Range != "" {
		p.PackageComment = "versions: " + c.Range
	}
	if c.PURL != "" {
		p.PackageExternalReferences = []*v2_3.PackageExternalReference{
			{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: c.PURL},
		}
	}
	if c.SHA256 != "" {
		p.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: c.SHA256}}
	}
	return p
}

// CycloneDX encodes a document as CycloneDX 1.6 JSON.
func CycloneDX(d *Document) ([]byte, error) {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(d.namespace())).URN()
	subject := cyclonedxComponent(d.Subject, "artifact")
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: d.Date.Format(time.RFC3339),
		Component: &subject,
		Authors:   &[]cyclonedx.OrganizationalContact{{Name: authors}},
		Tools: &cyclonedx.ToolsChoice{Components: &[]cyclonedx.Component{{Type: cyclonedx.ComponentTypeApplication,
			Name: tool}}},
	}
	components, references := []cyclonedx.Component{}, []string{}
	for i, c := range d.Components {
		one := cyclonedxComponent(c, fmt.Sprintf("%d:%s", i+1, c.PURL))
		components, references = append(components, one), append(references, one.BOMRef)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: subject.BOMRef, Dependencies: &references}}
	var out bytes.Buffer
	encoder := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	err := encoder.EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return out.Bytes(), err
}

func cyclonedxComponent(c Component, reference string) cyclonedx.Component {
	one := cyclonedx.Component{
		BOMRef: reference, Type: cyclonedx.ComponentType(c.Kind), Name: c.Name, Version: c.Version, PackageURL: c.PURL,
	}
	if c.SHA256 != "" {
		one.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: c.SHA256}}
	}
	if c.License != "" {
		one.Licenses = &cyclonedx.Licenses{{Expression: c.License}}
	}
	if c.Range != "" {
		one.Properties = &[]cyclonedx.Property{{Name: "flux-operator:versions", Value: c.Range}}
	}
	return one
}
