package v1alpha1

// LoggingSpec says how much the entrypoint and Flux write to the log of the pods.
type LoggingSpec struct {
	// quiet leaves only the output of the job. Defaults to false.
	// +optional
	// +default=false
	Quiet bool `json:"quiet,omitempty"`

	// strict ends the entrypoint at the first command that fails. Defaults to true; false
	// goes on past errors, to look into them.
	// +optional
	// +default=true
	Strict *bool `json:"strict,omitempty"`

	// debug makes Flux tell how a job is submitted. Defaults to false.
	// +optional
	// +default=false
	Debug bool `json:"debug,omitempty"`

	// zeromq makes brokers tell how they connect with each other over ZeroMQ. Defaults to
	// false.
	// +optional
	// +default=false
	Zeromq bool `json:"zeromq,omitempty"`

	// timed prints the wall time of flux start and flux run or flux batch. The image has to have
	// /usr/bin/time. Defaults to false.
	// +optional
	// +default=false
	Timed bool `json:"timed,omitempty"`
}
