package nn

// Memory estimates what a network of c takes, in bytes: parameters with their
// gradients and velocities, and for every sample of a batch what each layer
// takes in and gives, with gradients. The error is New's.
func Memory(c Config) (bytes float64, err error) {
	list, err := stages(c.Model, c.C, c.H, c.W, c.Classes)
	if err != nil {
		return 0, err
	}
	const (
		lanes   = 16   // images lie in memory in blocks of so many
		scratch = 1.75 // what kernels and graph keep beside; see TestMemory
	)
	values := 0.0 // in floating point, which does not overflow
	for _, s := range list {
		for _, shape := range [...][3]int{{s.in.Channels, s.in.Height, s.in.Width},
			{s.mid.Channels, s.mid.Height, s.mid.Width}, {s.out.Channels, s.out.Height, s.out.Width}} {
			values += float64(shape[0]) * float64(shape[1]) * float64(shape[2])
		}
	}
	weights, _ := slots(list, c.Init)
	parameters := 0.0
	for _, s := range weights {
		parameters += float64(s.len())
	}
	return 4 * (4*parameters + scratch*values*(float64(c.Batch)+lanes)), nil
}
