package look

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"

	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/page"
)

// contactSheet writes the pictures of samples in rows, in the order of the list. A frame is red if
// the prediction is wrong and green if it is right. The file must not exist.
func contactSheet(path string, src data.Source, list []int, s *certificate.Samples) error {
	shape := src.Shape()
	if !certificate.Pictured(shape) {
		return errors.New("the samples are not pictures")
	}
	const across, frame, wanted = 10, 2, 64
	scale := max(1, wanted/max(shape.H, shape.W))
	w, h := scale*shape.W+2*frame+2, scale*shape.H+2*frame+2
	down := (len(list) + across - 1) / across
	sheet := image.NewRGBA(image.Rect(0, 0, across*w, down*h))
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	for k, i := range list {
		colour := color.RGBA{0x2c, 0xa0, 0x2c, 0xff}
		if s.Predictions[i] != s.Labels[i] {
			colour = color.RGBA{0xd6, 0x27, 0x28, 0xff}
		}
		at := image.Pt(k%across*w+1, k/across*h+1)
		box := image.Rect(0, 0, w-2, h-2).Add(at)
		draw.Draw(sheet, box, image.NewUniform(colour), image.Point{}, draw.Src)
		paint(sheet, box.Inset(frame), certificate.PictureOf(src, i), scale)
	}
	return page.NewFile(path, func(w io.Writer) error { return png.Encode(w, sheet) })
}

// paint draws one picture into a box, enlarged by scale.
func paint(sheet *image.RGBA, box image.Rectangle, p *certificate.Picture, scale int) {
	for y := range box.Dy() {
		for x := range box.Dx() {
			c := p.At(x/scale, y/scale)
			sheet.SetRGBA(box.Min.X+x, box.Min.Y+y, color.RGBA{c[0], c[1], c[2], 0xff})
		}
	}
}
