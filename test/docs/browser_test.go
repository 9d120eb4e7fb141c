package docs

import (
	"context"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take on a machine that does much else.
const patience = 2 * time.Minute

// browser is a tab, with what went wrong in it.
type browser struct {
	context.Context
	t    testing.TB
	site string // its directory

	mu       sync.Mutex
	failures []string // errors on the console, and requests that leave the site
}

// open starts the browser that hack/docs-browser.sh names.
func open(t testing.TB, site string) *browser {
	t.Helper()
	program := os.Getenv("CHROME")
	if program == "" {
		t.Skip("CHROME names no browser: run make test-all ONLY=docs")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.WindowSize(1200, 800),
		chromedp.WSURLReadTimeout(patience))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	tab, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, expire := context.WithTimeout(tab, 5*patience)
	t.Cleanup(expire)
	b := &browser{Context: ctx, t: t, site: site}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	return b
}

// listen notes failures.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		b.failures = append(b.failures, "exception: "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			b.failures = append(b.failures, "console: "+string(event.Type))
		}
	case *log.EventEntryAdded:
		if event.Entry.Level == log.EntryLevelError {
			b.failures = append(b.failures, "log: "+event.Entry.Text+" "+event.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if asked := event.Request.URL; !strings.HasPrefix(asked, b.url("")) && !strings.HasPrefix(asked, "data:") {
			b.failures = append(b.failures, "request: "+asked)
		}
	}
}

// url is the address of a page.
func (b *browser) url(page string) string {
	name, fragment, _ := strings.Cut(page, "#")
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(b.site) + "/" + name, Fragment: fragment}
	return u.String()
}

// do runs actions.
func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Context, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// call runs a command of the browser's protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.Context, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// visit opens a page.
func (b *browser) visit(page string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url(page)))
}

// value evaluates an expression on the page, and awaits it if it is a promise.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	result, err := chromedp.Run(b.Context, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%.200s: %v", expression, err)
	}
	return result
}

// check fails for what went wrong since the last check.
func (b *browser) check(page string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, failure := range b.failures {
		if failure != "request: about:blank" {
			b.t.Errorf("%s: %s", page, failure)
		}
	}
	b.failures = nil
}

// pagesOf lists the pages of a site.
func pagesOf(t testing.TB, dir string) []string {
	t.Helper()
	var pages []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".html") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil || len(pages) < 3 {
		t.Fatalf("the site has the pages %q: %v", pages, err)
	}
	return pages
}
