// Package pixels draws pictures in a terminal's own pixels, where the terminal has answered that it
// can.
//
// A page draws a picture as marks: cells with a blank character, in a colour that names the
// picture. So the renderer of the interface knows nothing of pictures. It writes marks where a
// picture appears, and other text where it goes. Screen finds the marks in the screen as drawn, and
// puts the pictures over them after each frame that has written some.
//
//	question -> answers -> protocol
//	Cells (marks) -> screen -> Show (places) -> frame -> Frame (frame and pictures)
//
// A picture takes at most 64 KiB, and all of them together 256 KiB a second. Those beyond wait.
//
// The sequences and sixels come from github.com/charmbracelet/x/ansi, which the interface has
// anyway. BourgeoisBear/rasterm and mattn/go-sixel only encode pictures, and rasterm goes by the
// environment for kitty and iTerm2. blacktop/go-termimg starts tmux to set an option of the user's
// pane.
//
// # Files
//
//	screen.go    start here: Screen, marks, places, Frame
//	answers.go   Question, and which protocol the answers allow
//	encode.go    a picture in kitty's protocol, in that of iTerm2, and as sixels
package pixels
