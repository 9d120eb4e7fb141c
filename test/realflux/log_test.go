package realflux

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// recorder follows the logs of all containers of a namespace, also of pods that are deleted later.
type recorder struct {
	mu       sync.Mutex
	streams  []*stream
	followed map[string]bool
}

// stream is the log of one container.
type stream struct {
	pod, container string
	job, index     string
	lines          []line
	ended          bool
}

// line is a line of a log, and when the container wrote it.
type line struct {
	at   time.Time
	text string
}

// record follows the logs until the test ends.
func (s *suite) record(t *testing.T, namespace string) *recorder {
	r := &recorder{followed: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			pods, err := s.pods.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
			if err == nil {
				for i := range pods.Items {
					s.follow(ctx, r, &pods.Items[i])
				}
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
	return r
}

// follow follows the containers of a pod that have started.
func (s *suite) follow(ctx context.Context, r *recorder, pod *corev1.Pod) {
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		key := string(pod.UID) + "/" + c.Name
		if c.State.Waiting != nil || r.followed[key] {
			continue
		}
		r.followed[key] = true
		to := &stream{pod: pod.Name, container: c.Name, job: pod.Labels["batch.kubernetes.io/job-name"],
			index: pod.Labels["batch.kubernetes.io/job-completion-index"]}
		r.mu.Lock()
		r.streams = append(r.streams, to)
		r.mu.Unlock()
		go func() {
			defer func() { r.mu.Lock(); to.ended = true; r.mu.Unlock() }()
			from, err := s.pods.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{
				Container: c.Name, Follow: true, Timestamps: true,
			}).Stream(ctx)
			if err != nil {
				r.add(to, time.Now().Format(time.RFC3339Nano)+" (no log: "+err.Error()+")")
				return
			}
			defer from.Close()
			scanner := bufio.NewScanner(from)
			scanner.Buffer(nil, 1<<20)
			for scanner.Scan() {
				r.add(to, scanner.Text())
			}
		}()
	}
}

func (r *recorder) add(to *stream, text string) {
	at, rest, _ := strings.Cut(text, " ")
	when, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		rest = text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	to.lines = append(to.lines, line{when, rest})
}

// settle waits until the log of the newest lead broker has ended, which may take a moment after its container.
func (r *recorder) settle() {
	for range 50 {
		r.mu.Lock()
		open := slices.ContainsFunc(r.streams, func(s *stream) bool {
			return s.index == "0" && s.container == s.job &&
				!s.ended
		})
		r.mu.Unlock()
		if !open {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// lines returns what the Flux containers of an index wrote, one pod after the other.
func (r *recorder) lines(job string, index int) []line {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []line
	for _, s := range r.streams {
		if s.job == job && s.container == job && s.index == fmt.Sprint(index) {
			all = append(all, s.lines...)
		}
	}
	return all
}

func (r *recorder) text(job string, index int) string {
	var b strings.Builder
	for _, l := range r.lines(job, index) {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// starts counts the pods of an index whose Flux container has started.
func (r *recorder) starts(job string, index int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, s := range r.streams {
		if s.job == job && s.container == job && s.index == fmt.Sprint(index) {
			n++
		}
	}
	return n
}

// all returns the beginning and the end of each log.
func (r *recorder) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, s := range r.streams {
		fmt.Fprintf(&b, "== %s/%s\n", s.pod, s.container)
		for i, l := range s.lines {
			if i > 4 && i < len(s.lines)-40 {
				continue
			}
			fmt.Fprintf(&b, "%s %s\n", l.at.Format("04:05.000"), l.text)
		}
	}
	return b.String()
}
