package picture

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"drolab/runner/data"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/internal/memory"
)

// A cache of resized pictures is cacheMagic, the SHA-256 of the rest, and a record of each picture:
// its pixels, [C][H][W], and a byte of facts. The number in cacheMagic rises when pictures are
// decoded in another way.
const cacheMagic = "drolab pictures 2\n"

// facts are what a user is told of a picture.
type facts byte

const (
	turned      facts = 1 << iota // EXIF data say that it is not seen as it is stored
	transparent                   // parts of it are transparent
)

// record is the number of bytes of a record.
func (s *pictureSet) record() int { return s.shape.Len() + 1 }

// count returns the number of records of which a fact holds.
func (s *pictureSet) count(records []byte, of facts) (n int) {
	for r := range slices.Chunk(records, s.record()) {
		if facts(r[len(r)-1])&of != 0 {
			n++
		}
	}
	return n
}

// records returns the records of all pictures from the cache in the data folder, and makes the
// cache if it is not there. Each state of the files, given by their names, sizes and times, has its
// own cache. If the folder cannot be written to, the records are in memory alone.
func (s *pictureSet) records(o data.Options) ([]byte, error) {
	key, err := s.cacheKey()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, "pictures", key)
	if b, err := s.readCache(path); err == nil {
		return b, nil
	}
	os.Remove(path) // a damaged one
	kept, err := s.makeCache(path, &counter{of: len(s.files), tell: o.Progress})
	if err != nil {
		return nil, err
	}
	if kept {
		if b, err := s.readCache(path); err == nil {
			return b, nil
		}
	}
	return s.decodeAll(&counter{of: len(s.files), tell: o.Progress})
}

// counter counts the pictures that are decoded, and tells of each.
type counter struct {
	mu       sync.Mutex
	done, of int
	tell     func(done, of int) error // nil: nobody is told
	err      error                    // of tell: the reading ends
}

// add counts n more pictures, on any goroutine. It returns an error if the reading is to end.
func (c *counter) add(n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	if c.err == nil && c.tell != nil {
		c.err = c.tell(c.done, c.of)
	}
	return c.err
}

// ended returns an error if the reading is to end.
func (c *counter) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// While pictures are decoded, each part of them is kept in a file of the folder KEY.parts, beside
// the cache KEY that is to be: the SHA-256 of the part's records, then the records. An interrupted
// reading loses no more than the part under way. Several processes may decode the same pictures:
// their parts have the same bytes.
const (
	mostInPart   = 64       // pictures
	mostPartSize = 32 << 20 // bytes, since a part is in memory as a whole
)

// makeCache decodes the pictures part by part, takes the parts that an earlier reading has left,
// and makes the cache of them. It reports whether there is a cache: not if it cannot be written.
func (s *pictureSet) makeCache(path string, c *counter) (kept bool, err error) {
	size := s.record()
	per := min(mostInPart, max(1, mostPartSize/size), len(s.files))
	if err := memory.Ask(float64(per*size), "decoding the pictures"); err != nil {
		return false, err
	}
	if err := c.add(0); err != nil {
		return false, err
	}
	folder := path + ".parts"
	buffer := make([]byte, per*size)
	sum := sha256.New()
	if os.MkdirAll(folder, 0o777) != nil {
		return false, nil
	}
	for from := 0; from < len(s.files); from += per {
		n := min(per, len(s.files)-from)
		part := buffer[:n*size]
		name := partName(folder, from/per)
		if readPart(name, part) == nil {
			err = c.add(n)
		} else if err = s.decodeSome(part, s.files[from:from+n], c); err == nil {
			if writePart(name, part) != nil {
				return data.Exists(path), nil // another process may have been quicker
			}
		}
		if err != nil {
			return false, err
		}
		sum.Write(part)
	}
	err = atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(sum.Sum([]byte(cacheMagic)))
		for from := 0; from < len(s.files) && err == nil; from += per {
			part := buffer[:min(per, len(s.files)-from)*size]
			if err = readPart(partName(folder, from/per), part); err == nil {
				_, err = w.Write(part)
			}
		}
		return err
	})
	if err != nil {
		return data.Exists(path), nil
	}
	os.RemoveAll(folder) // a leftover costs only space
	return true, nil
}

func partName(folder string, part int) string {
	return filepath.Join(folder, fmt.Sprintf("%08d", part))
}

// readPart reads the records of a part, checked against their hash.
func readPart(name string, records []byte) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var sum [sha256.Size]byte
	if _, err = io.ReadFull(f, sum[:]); err == nil {
		_, err = io.ReadFull(f, records)
	}
	if err == nil && sha256.Sum256(records) != sum {
		err = fmt.Errorf("%s: is damaged", name)
	}
	return err
}

func writePart(name string, records []byte) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		sum := sha256.Sum256(records)
		_, err := w.Write(sum[:])
		if err == nil {
			_, err = w.Write(records)
		}
		return err
	})
}

func (s *pictureSet) cacheKey() (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s%q %v %s\n", cacheMagic, s.Path, s.shape, s.Choice("orientation"))
	for _, name := range s.files {
		info, err := os.Stat(filepath.Join(s.Path, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// readCache returns the records in a cache, checked against their hash.
func (s *pictureSet) readCache(path string) ([]byte, error) {
	whole, err := s.mapped.Contents(path)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(whole, []byte(cacheMagic))
	if ok && len(rest) == sha256.Size+len(s.files)*s.record() {
		records := rest[sha256.Size:]
		if sum := sha256.Sum256(records); bytes.HasPrefix(rest, sum[:]) {
			return records, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: is damaged", path), s.mapped.Close())
}

// decodeAll reads every picture into memory.
func (s *pictureSet) decodeAll(c *counter) ([]byte, error) {
	size := s.record()
	if err := memory.Ask(float64(len(s.files)*size), "decoding the pictures"); err != nil {
		return nil, err
	}
	b := make([]byte, len(s.files)*size)
	return b, s.decodeSome(b, s.files, c)
}

// decodeSome reads some pictures, on every core. The error is the same on any number of cores,
// unless the counter ends the reading.
func (s *pictureSet) decodeSome(b []byte, files []string, c *counter) error {
	size := s.record()
	errs := make([]error, len(files))
	data.OnEveryCore(len(files), func(i int) {
		errs[i] = c.ended()
		if errs[i] != nil {
			return
		}
		if errs[i] = s.decode(b[i*size:(i+1)*size], files[i]); errs[i] == nil {
			errs[i] = c.add(1)
		}
	})
	return cmp.Or(errs...)
}
