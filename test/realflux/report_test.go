package realflux

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flux-framework/flux-operator/test/report"
)

// result is what a scenario showed with one image.
type result struct {
	group, feature, image string
	took                  time.Duration
	failed                bool
}

// results collects the results for docs/operate/real-flux.md.
type results struct {
	mu       sync.Mutex
	all      []result
	notes    []string
	versions map[string]string // of Flux, by image
}

func (r *results) add(group, feature, image string, took time.Duration, failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, result{group, feature, image, took, failed})
}

// version notes the version of Flux that a lead broker said it is.
func (r *results) version(image string, logs *recorder) {
	match := regexp.MustCompile(`Flux (\S+) runs as`).FindStringSubmatch(logs.all())
	if match == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.versions == nil {
		r.versions = map[string]string{}
	}
	r.versions[image] = match[1]
}

// note adds a line below the tables.
func (r *results) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, text)
}

// write puts the tables into a file.
func (r *results) write(file string) error {
	return report.Write(file, []report.Section{{Mark: "results", Text: r.tables()}})
}

// tables are one table per group, with a line for each feature and a column for each version.
func (r *results) tables() string {
	slices.SortFunc(r.all, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.feature, b.feature), cmp.Compare(a.image, b.image))
	})
	var images []string
	for _, x := range r.all {
		if !slices.Contains(images, x.image) {
			images = append(images, x.image)
		}
	}
	slices.Sort(images)
	var b strings.Builder
	group, feature := "", ""
	for i, x := range r.all {
		if x.group != group {
			fmt.Fprintf(&b, "\n## %s\n\n| feature |", x.group)
			for _, image := range images {
				fmt.Fprintf(&b, " %s |", r.versions[image])
			}
			b.WriteString("\n|---|" + strings.Repeat("---|", len(images)) + "\n")
			group, feature = x.group, ""
		}
		if x.feature == feature {
			continue
		}
		feature = x.feature
		fmt.Fprintf(&b, "| %s |", feature)
		for _, image := range images {
			fmt.Fprintf(&b, " %s |", cell(r.all[i:], x, image))
		}
		b.WriteString("\n")
	}
	for _, note := range r.notes {
		b.WriteString("\n" + note + ".\n")
	}
	return b.String() + "\n"
}

// cell is the result of a feature with an image: seconds, or that it failed; empty if it was not run.
func cell(results []result, like result, image string) string {
	for _, x := range results {
		if x.group != like.group || x.feature != like.feature {
			break
		}
		switch {
		case x.image != image:
		case x.failed:
			return "fails"
		default:
			return fmt.Sprintf("%.0f s", x.took.Seconds())
		}
	}
	return ""
}
