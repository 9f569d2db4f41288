package share

import "io"

// deadlineWriter is a writer that cuts off a client that reads nothing for writeTimeout. Bubble Tea
// waits for its output to be read, and a client may never read.
type deadlineWriter struct {
	io.Writer
	v *view
}

// pieceSize is the size of a piece in bytes, small enough for a slow connection to take it in time.
const pieceSize = 16 << 10

func (g *deadlineWriter) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		stop := g.v.s.after(writeTimeout, g.v.cutOff)
		k, err = g.Writer.Write(p[n:min(n+pieceSize, len(p))])
		stop()
		n += k
	}
	return n, err
}
