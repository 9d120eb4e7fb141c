package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// progress prints a line for each stage that is done, with the time since it started, and
// every other record as it is.
type progress struct {
	w     io.Writer
	level slog.Level

	mu      sync.Mutex
	started map[string]time.Time
}

// Enabled implements slog.Handler.
func (p *progress) Enabled(_ context.Context, level slog.Level) bool { return level >= p.level }

// Handle implements slog.Handler.
func (p *progress) Handle(_ context.Context, record slog.Record) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	attrs := map[string]string{}
	var rest []string
	record.Attrs(func(attr slog.Attr) bool {
		attrs[attr.Key] = attr.Value.String()
		rest = append(rest, attr.Key+"="+attr.Value.String())
		return true
	})
	stage := attrs["stage"]
	var err error
	switch {
	case stage == "":
		_, err = fmt.Fprintln(p.w, strings.TrimSpace(record.Message+" "+strings.Join(rest, " ")))
	case record.Message == "running":
		if p.started == nil {
			p.started = map[string]time.Time{}
		}
		p.started[stage] = record.Time
	default:
		_, err = fmt.Fprintln(p.w, p.line(stage, record, attrs["files"]))
	}
	return err
}

// line is "stage  1.23s  45 files"; what ran as part of another stage has no time.
func (p *progress) line(stage string, record slog.Record, files string) string {
	took := ""
	if start, ok := p.started[stage]; ok {
		took = fmt.Sprintf("%.2fs", record.Time.Sub(start).Seconds())
	}
	if record.Message != "done" {
		took = record.Message
	}
	if files != "" {
		files += " files"
	}
	return strings.TrimRight(fmt.Sprintf("%-9s %9s  %s", stage, took, files), " ")
}

// WithAttrs and WithGroup implement slog.Handler; nothing here uses them.
func (p *progress) WithAttrs([]slog.Attr) slog.Handler { return p }

// WithGroup implements slog.Handler.
func (p *progress) WithGroup(string) slog.Handler { return p }
