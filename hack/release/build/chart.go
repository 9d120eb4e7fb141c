package build

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// chart is the directory of the chart.
const chart = "charts/flux-operator"

// Chart packs the chart with a helm program, and packs it again in an order and with a time that are the same each
// time.
func (s *Source) Chart(ctx context.Context, helm, out string) error {
	dir := filepath.Join(s.Dir, filepath.FromSlash(chart))
	if _, err := s.Run(ctx, s.Dir, helm, "lint", "--strict", dir); err != nil {
		return err
	}
	scratch, err := s.scratch("chart")
	if err != nil {
		return err
	}
	if _, err := s.Run(ctx, s.Dir, helm, "package", "--destination", scratch, dir); err != nil {
		return err
	}
	name := fmt.Sprintf("flux-operator-%s.tgz", s.Version)
	files, err := readTarGz(filepath.Join(scratch, name))
	if err != nil {
		return fmt.Errorf("%s has another version than %s: %w", chart, s.Version, err)
	}
	for i := range files {
		files[i].Mode = 0o644
	}
	// helm reads Chart.yaml first, as it writes it.
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(order(a.Name), order(b.Name)) })
	return TarGz(filepath.Join(out, name), s.Time, files)
}

func order(name string) string {
	if strings.Count(name, "/") == 1 && strings.HasSuffix(name, "/Chart.yaml") {
		return ""
	}
	return name
}
