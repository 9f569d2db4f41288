package pixels

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
)

// encoded returns what draws a picture at the cursor. In kitty's protocol, that is only the data,
// which the terminal keeps.
func (s *Screen) encoded(p *picture) string {
	switch s.protocol() {
	case Kitty:
		return kittyData(p)
	case ITerm2:
		b := base64.StdEncoding.EncodeToString(pngOf(p))
		return ansi.ITerm2(iterm2.File{Inline: true, Size: int64(len(b)),
			Width: iterm2.Cells(p.cells), Height: iterm2.Cells(p.lines),
			IgnoreAspectRatio: true, Content: []byte(b)})
	case Sixel:
		return s.sixels(p)
	}
	return ""
}

// kittyData returns a picture for a terminal that keeps it. The terminal reports only failures.
func kittyData(p *picture) string {
	data := base64.StdEncoding.EncodeToString(pngOf(p))
	var b bytes.Buffer
	options := (&kitty.Options{Action: kitty.Transmit, Quiet: 1, ID: firstID + p.id,
		Format: kitty.PNG}).Options()
	for len(data) > kitty.MaxChunkSize {
		part := []byte(data[:kitty.MaxChunkSize])
		b.WriteString(ansi.KittyGraphics(part, append(options, "m=1")...))
		data, options = data[kitty.MaxChunkSize:], []string{"q=1"}
	}
	b.WriteString(ansi.KittyGraphics([]byte(data), append(options, "m=0")...))
	return b.String()
}

// pngOf returns a picture as PNG.
func pngOf(p *picture) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// sixels returns a picture as sixels, as large as its cells, or smaller where that is too long.
func (s *Screen) sixels(p *picture) string {
	p = &picture{look: p.look, w: p.w, h: p.h, rgb: fewColours(p.rgb)}
	for scale := 1; ; scale++ {
		size := image.Rect(0, 0, p.cells*s.wide/scale, p.lines*s.high/scale)
		var b bytes.Buffer
		if err := new(sixel.Encoder).Encode(&b, &scaled{p, size}); err != nil {
			panic(err) // a buffer takes everything
		}
		text := ansi.SixelGraphics(0, 1, 0, b.Bytes())
		if len(text) <= MostBytes {
			return text
		}
	}
}

// fewColours returns pixels in at most the 256 colours that sixels have: with as many bits of each
// component as that allows, which the library does only slowly.
func fewColours(rgb []byte) []byte {
	for drop := 0; ; drop++ {
		out, colours := make([]byte, len(rgb)), map[[3]byte]bool{}
		for i := 0; i < len(rgb); i += 3 {
			for k := range 3 {
				bits := drop
				if drop == 5 && k == 2 { // eight reds and greens, and four blues
					bits++
				}
				step := 255 / float64(int(1)<<(8-bits)-1)
				out[i+k] = byte(math.Round(math.Round(float64(rgb[i+k])/step) * step))
			}
			colours[[3]byte(out[i:])] = true
		}
		if len(colours) <= sixel.MaxColors {
			return out
		}
	}
}

// scaled is a picture in another size.
type scaled struct {
	*picture
	size image.Rectangle
}

// Bounds implements image.Image.
func (s *scaled) Bounds() image.Rectangle { return s.size }

// At implements image.Image.
func (s *scaled) At(x, y int) color.Color {
	return s.picture.At(x*s.w/s.size.Dx(), y*s.h/s.size.Dy())
}

// ColorModel implements image.Image.
func (*picture) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements image.Image.
func (p *picture) Bounds() image.Rectangle { return image.Rect(0, 0, p.w, p.h) }

// At implements image.Image.
func (p *picture) At(x, y int) color.Color {
	c := p.rgb[3*(y*p.w+x):]
	return color.RGBA{c[0], c[1], c[2], 255}
}
