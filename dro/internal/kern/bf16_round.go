package kern

// roundCall rounds an operand into memory of its own, for the float32 kernels.
type roundCall struct{ dst, src []float32 }

func (r *roundCall) task(i int) {
	from, to := i*elementChunk, min((i+1)*elementChunk, len(r.src))
	dst := r.dst[from:to]
	for k, v := range r.src[from:to] {
		dst[k] = nearestBF16(v)
	}
}

// rounded returns src, rounded into dst.
func (c *BF16Conv) rounded(t *Team, dst, src []float32) []float32 {
	c.round = roundCall{dst[:len(src)], src}
	t.run((len(src)+elementChunk-1)/elementChunk, &c.round)
	c.round = roundCall{}
	return dst[:len(src)]
}
