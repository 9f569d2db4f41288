package picture

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// exifOf returns EXIF data with an orientation, in little-endian order.
func exifOf(o orientation) string {
	return fmt.Sprintf("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"+
		"%c\x00\x00\x00\x00\x00\x00\x00", o)
}

// EXIF data are found in every format behind other parts. Whatever is cut off or changed, nothing
// panics, and no orientation but 1 to 8 comes out.
func TestOrientation(t *testing.T) {
	exif := exifOf(6)
	size := byte(len(exif))
	files := map[string]string{
		"tiff": exif,
		"jpeg": "\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xe1\x00" + string(rune(size+8)) +
			"Exif\x00\x00" + exif + "\xff\xda\x00\x02",
		"png": "\x89PNG\r\n\x1a\n\x00\x00\x00\x01IHDRxsum4\x00\x00\x00" + string(rune(size)) +
			"eXIf" + exif + "sum4",
		"webp": "RIFF" + string(rune(4+8+2+8+size)) + "\x00\x00\x00WEBP" +
			"VP8 \x01\x00\x00\x00x\x00EXIF" + string(rune(size)) + "\x00\x00\x00" + exif,
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for format, file := range files {
		if got := orientationOf(format, []byte(file)); got != 6 {
			t.Errorf("%s: orientation %d, want 6", format, got)
		}
		for n := range len(file) {
			orientationOf(format, []byte(file[:n]))
		}
		for range 2000 {
			b := []byte(file)
			for range 1 + rng.IntN(4) {
				b[rng.IntN(len(b))] = byte(rng.Uint32())
			}
			if got := orientationOf(format, b); got < 1 || got > 8 {
				t.Fatalf("%s: %q gives orientation %d, want 1 to 8", format, b, got)
			}
		}
	}
	if got := orientationOf("gif", []byte(exif)); got != asStored {
		t.Errorf("gif: orientation %d, want 1", got)
	}
}
