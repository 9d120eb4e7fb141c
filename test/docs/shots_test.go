package docs

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "write the pictures of the documents to this directory")

// TestShots takes the pictures of docs/use/reference-pages.md.
func TestShots(t *testing.T) {
	b := open(t, site(t, minicluster))
	b.do(chromedp.EmulateViewport(960, 600))
	b.visit("flux-framework.org/v1alpha1/minicluster.html#spec.flux.connectTimeout")
	value[bool](b, "document.activeElement.blur(), true")
	b.shoot("kind.png")
	b.visit("flux-framework.org/v1alpha1/minicluster.html")
	b.scheme("dark")
	b.search("flux user")
	b.shoot("search.png")
	b = open(t, site(t, garden))
	b.do(chromedp.EmulateViewport(960, 600))
	b.visit("garden.example.org/bed.v1beta1-v1.html")
	b.shoot("versions.png")
}

// shoot takes a picture of what is seen.
func (b *browser) shoot(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.Context, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if len(picture) < 5000 {
		b.t.Errorf("%s is empty", name)
	}
	if *shots == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*shots, name), small(b.t, picture), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// small is a picture with its 256 most frequent colors alone.
func small(t testing.TB, picture []byte) []byte {
	t.Helper()
	read, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	bounds, count := read.Bounds(), map[color.Color]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[read.At(x, y)]++
		}
	}
	colors := color.Palette(slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	}))
	out := image.NewPaletted(bounds, colors[:min(len(colors), 256)])
	draw.Draw(out, bounds, read, bounds.Min, draw.Src)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
