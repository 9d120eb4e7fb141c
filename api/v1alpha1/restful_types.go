package v1alpha1

// FluxRestful configures the Flux RESTful API, a web server for submitting jobs that the
// lead broker runs when there is neither a command nor interactive.
type FluxRestful struct {
	// branch must be main, which is the default: a pinned release of the API runs, or the one
	// that the image has in /opt/flux-restful.
	// +optional
	// +default="main"
	// +kubebuilder:validation:MaxLength=253
	Branch string `json:"branch,omitempty"`

	// port is the TCP port to listen on. Defaults to 5000.
	// +optional
	// +default=5000
	Port int32 `json:"port,omitempty"`

	// secretKey is the key, shared by server and clients, that payloads are signed with. By
	// default a random one is made.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	SecretKey string `json:"secretKey,omitempty"`

	// username is the name of the first user. Tools that create MiniClusters for people set
	// it. Defaults to flux.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Username string `json:"username,omitempty"`

	// token is the password of the first user. Tools that create MiniClusters for people set
	// it. By default a random one is made.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Token string `json:"token,omitempty"`
}

// MiniClusterUser is someone who may use a MiniCluster through the Flux RESTful API, and
// who has an account in its pods.
type MiniClusterUser struct {
	// name is the name to log in with.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`

	// password is the password to log in with, of at most 8 characters. By default a random
	// one is made.
	// +optional
	// +kubebuilder:validation:MaxLength=8
	Password string `json:"password,omitempty"`
}
