package node

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	logLines = 10
	logPause = 100 * time.Millisecond // between the lines, when followed
)

// serveLogs writes the log that every container has: logLines lines with its name. Followed, the lines come one by one,
// and the log ends after the last as that of a container does. It looks at tailLines, limitBytes, timestamps and
// follow.
func serveLogs(w http.ResponseWriter, r *http.Request) {
	options, err := parseLogOptions(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	source := fmt.Sprintf("%s/%s/%s", r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container"))
	w.Header().Set("Content-Type", "text/plain")
	left := options.limit
	for i := max(1, logLines+1-options.tail); i <= logLines; i++ {
		line := fmt.Sprintf("%s line %d of %d\n", source, i, logLines)
		if options.timestamps {
			line = time.Now().UTC().Format(time.RFC3339Nano) + " " + line
		}
		line = line[:min(len(line), left)]
		left -= len(line)
		if _, err := w.Write([]byte(line)); err != nil || left == 0 {
			return
		}
		if options.follow && !flushAndWait(w, r) {
			return
		}
	}
}

// flushAndWait is false if the reader has left.
func flushAndWait(w http.ResponseWriter, r *http.Request) bool {
	if err := http.NewResponseController(w).Flush(); err != nil {
		return false
	}
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(logPause):
		return true
	}
}

type logOptions struct {
	follow, timestamps bool
	tail, limit        int
}

func parseLogOptions(query url.Values) (logOptions, error) {
	options := logOptions{tail: logLines, limit: 1 << 20}
	for name, flag := range map[string]*bool{"follow": &options.follow, "timestamps": &options.timestamps} {
		if value := query.Get(name); value != "" {
			parsed, err := strconv.ParseBool(value)
			if err != nil {
				return options, fmt.Errorf("reading %s: %w", name, err)
			}
			*flag = parsed
		}
	}
	for name, number := range map[string]*int{"tailLines": &options.tail, "limitBytes": &options.limit} {
		if value := query.Get(name); value != "" {
			parsed, err := strconv.Atoi(value)
			if err != nil || parsed < 0 {
				return options, fmt.Errorf("reading %s: %q is not a count", name, value)
			}
			*number = parsed
		}
	}
	return options, nil
}
