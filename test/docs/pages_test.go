package docs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// fault is what axe finds on a page.
type fault struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML string }
}

// TestPages opens every page, in light and in dark, with the tree closed and open: there is no error on the console, no
// request leaves the site, and axe finds no serious fault.
func TestPages(t *testing.T) {
	for _, name := range []string{garden, minicluster} {
		t.Run(name, func(t *testing.T) {
			dir := site(t, name)
			b := open(t, dir)
			for _, page := range pagesOf(t, dir) {
				b.visit(page)
				b.check(page) // before axe does anything
				if title := value[string](b, "document.querySelector('h1').textContent"); title == "" {
					t.Errorf("%s has no title", page)
				}
				b.inject()
				b.faults(page)
				if value[bool](b, "Boolean(document.querySelector('.all button'))") {
					b.do(chromedp.Click(chromedp.CSS("[data-open]")))
					if closed := value[int](b, "document.querySelectorAll('.tree details:not([open])').length"); closed > 0 {
						t.Errorf("%s: %d fields are closed", page, closed)
					}
					b.faults(page + ", open")
				}
				b.scheme("dark")
				b.faults(page + ", dark")
				b.scheme("light")
				b.check(page)
			}
		})
	}
}

// scheme has the pages be in light or dark.
func (b *browser) scheme(name string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// until waits for an expression to be true, also while another page is loaded.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ok, err := chromedp.Run(b.Context, chromedp.Evaluate[bool](expression)); err == nil && ok {
			return
		}
	}
	b.t.Fatalf("never true: %s", expression)
}

// faults has axe look at the page.
func (b *browser) faults(page string) {
	b.t.Helper()
	for _, f := range b.serious() {
		b.t.Errorf("%s: %s: %s (%d times): %s", page, f.ID, f.Help, len(f.Nodes), f.Nodes[0].HTML)
	}
}

// serious are the faults that keep people from using the page.
func (b *browser) serious() []fault {
	b.t.Helper()
	found := value[[]fault](b,
		"axe.run(document, {resultTypes: ['violations'], preload: false}).then((r) => r.violations)")
	return slices.DeleteFunc(found, func(f fault) bool { return f.Impact != "serious" && f.Impact != "critical" })
}

// TestAxe: axe finds a fault where there is one.
func TestAxe(t *testing.T) {
	b := open(t, site(t, garden))
	b.visit("index.html")
	b.inject()
	value[bool](b, "document.querySelector('h1').style.color = 'rgb(250 250 250)', true")
	if found := b.serious(); len(found) != 1 || found[0].ID != "color-contrast" {
		t.Errorf("axe found %v", found)
	}
}

// inject loads axe into the page.
func (b *browser) inject() {
	b.t.Helper()
	axe, err := os.ReadFile(os.Getenv("AXE"))
	if err != nil {
		b.t.Fatalf("AXE names no axe.min.js: run make test-all ONLY=docs (%v)", err)
	}
	value[bool](b, string(axe)+"; true")
}

// TestSearch types a word into the search, and goes to what it finds with the keyboard.
func TestSearch(t *testing.T) {
	b := open(t, site(t, minicluster))
	b.visit("index.html")
	b.search("brokerconfig")
	if text := value[string](b, "document.querySelector('[role=status]').textContent"); text != "1 field found" {
		t.Errorf("the search says %q", text)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("[type=search]"), kb.Enter), chromedp.WaitVisible(chromedp.CSS("h1")))
	b.at("flux-framework.org/v1alpha1/minicluster.html#spec.flux.brokerConfig")

	// Several words, of the path and the description; the second result by the arrow keys.
	b.search("volume storage")
	want := value[string](b, "document.querySelectorAll('.results a')[1].href")
	b.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	b.at(strings.TrimPrefix(want, b.url("")))

	// Nothing is found, and Escape closes the list.
	b.search("nosuchfield")
	if declared := value[string](b, "document.querySelector('[role=status]').textContent"); declared != "0 fields found" {
		t.Errorf("the search says %q", declared)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	if value[bool](b, "!document.querySelector('.results').hidden") {
		t.Error("the results are still there")
	}
	b.check("search")
}

// TestOdd: names that JavaScript knows and comments that look like programs are fields and texts like others.
func TestOdd(t *testing.T) {
	b := open(t, site(t, garden))
	b.visit("odd.example.org/v1/bed.html")
	if got := value[string](b,
		"[...document.querySelectorAll('main > p, main > pre, main > ul')].map((e) => e.textContent).join('|')"); !strings.Contains(got, `</script> <!-- {{ .Template }}`) || !strings.Contains(got, "|spec: {{ code }}\n\n    nested: <b>|") {
		t.Errorf("the description is %q", got)
	}
	if found := value[int](b, "document.querySelectorAll('main img, main script').length"); found > 0 {
		t.Errorf("%d elements come from comments", found)
	}
	for _, name := range []string{"constructor", "__proto__", "toString", "aB", "schema"} {
		b.search("bed.spec." + name)
		b.do(chromedp.SendKeys(chromedp.CSS("[type=search]"), kb.Enter))
		b.at("odd.example.org/v1/bed.html#spec." + name)
	}
	b.check("odd")
}

// search goes to the search by its key and types a text.
func (b *browser) search(text string) {
	b.t.Helper()
	value[bool](b, "document.activeElement.blur(), true")
	b.do(chromedp.KeyEvent("/"))
	b.until("document.activeElement.type === 'search'")
	value[string](b, "document.activeElement.value = ''") // the browser's protocol types the key all the same
	b.do(chromedp.KeyEvent(text))
}

// at checks that the browser is at a field, which is open and in sight.
func (b *browser) at(want string) {
	b.t.Helper()
	_, id, _ := strings.Cut(want, "#")
	b.until(fmt.Sprintf("location.href === %q && document.readyState === 'complete'", b.url(want)))
	b.until(fmt.Sprintf(`(() => {
		const at = document.getElementById(%q);
		for (let up = at; up; up = up.parentElement) if (up.tagName === "DETAILS" && !up.open) return false;
		const top = at.getBoundingClientRect().top;
		return top >= 0 && top < innerHeight;
	})()`, id))
}

// TestAddress: an address with a field's anchor opens what is around the field.
func TestAddress(t *testing.T) {
	b := open(t, site(t, garden))
	page := "garden.example.org/v1/bed.html#spec.plants.planted"
	b.visit(page)
	b.at(page)
	b.check(page)
}

// TestKeyboard opens and closes the tree without a mouse.
func TestKeyboard(t *testing.T) {
	b := open(t, site(t, garden))
	b.visit("garden.example.org/v1/bed.html")
	b.do(chromedp.Focus(chromedp.CSS("#spec\\.hose > summary")))
	for i, key := range []string{kb.Enter, " ", kb.Enter} {
		b.do(chromedp.KeyEvent(key))
		if ok := value[bool](b, "document.getElementById('spec.hose').open"); ok != (i%2 == 0) {
			t.Errorf("after key %d the field is open: %v", i, ok)
		}
	}
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab)) // the field's address, then the first field in it
	if id := value[string](b, "document.activeElement.parentElement.id"); id != "spec.hose.length" {
		t.Errorf("the focus is at %q", id)
	}
	b.check("keyboard")
}

// TestWithoutScript: all can be read without JavaScript, and what needs it is not shown.
func TestWithoutScript(t *testing.T) {
	b := open(t, site(t, garden))
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.visit("garden.example.org/v1/bed.html")
	text, err := chromedp.Run(b.Context, chromedp.TextContent(chromedp.CSS("main")))
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Click(chromedp.CSS("#spec\\.owner > summary")),
		chromedp.WaitVisible(chromedp.CSS("#spec\\.owner .path")))
	if !strings.Contains(text, "size is the length of the bed in metres.") {
		t.Errorf("the page has no fields: %s", text)
	}
	b.do(chromedp.WaitNotVisible(chromedp.CSS(".search")), chromedp.WaitNotVisible(chromedp.CSS(".all")))
	b.check("without JavaScript")
}

// TestVersions: the comparison of two versions leads to the field in each.
func TestVersions(t *testing.T) {
	b := open(t, site(t, garden))
	b.visit("garden.example.org/v1/bed.html")
	b.do(chromedp.Click(chromedp.Search("//a[text()='v1beta1 and v1 side by side']")),
		chromedp.WaitVisible(chromedp.CSS("table")))
	rows := value[[]string](b,
		"[...document.querySelectorAll('tbody tr')].map((row) => row.className + ' ' + row.cells[0].textContent)")
	for _, want := range []string{"added spec.plants", "removed spec.shade", "changed spec.size", "changed spec.hose",
		"changed spec.owner"} {
		if !strings.Contains(strings.Join(rows, "\n")+"\n", want+"\n") {
			t.Errorf("no row %q in %q", want, rows)
		}
	}
	b.do(chromedp.Click(chromedp.CSS("a[href$='v1/bed.html#spec.plants']")))
	b.at("garden.example.org/v1/bed.html#spec.plants")
	b.check("versions")
}
