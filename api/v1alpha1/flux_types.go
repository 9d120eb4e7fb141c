package v1alpha1

// FluxSpec configures the Flux brokers of a MiniCluster.
type FluxSpec struct {
	// installRoot is the directory that Flux is installed in, the one above bin and
	// libexec. Defaults to /usr.
	// +optional
	// +default="/usr"
	// +kubebuilder:validation:MaxLength=4096
	InstallRoot string `json:"installRoot,omitempty"`

	// optionFlags are options of flux submit, such as -ompi=openmpi@5, for the command of
	// the MiniCluster and for all jobs that do not bring their own.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	OptionFlags string `json:"optionFlags,omitempty"`

	// wrap is what flux start wraps the brokers in (its option --wrap), arguments separated
	// by commas: strace,-e,network,-tt.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Wrap string `json:"wrap,omitempty"`

	// connectTimeout is the time that a broker waits for a connection to its parent before
	// it tries again, as a number with a unit: 500ms, 5s. Empty leaves it to Flux, whose
	// pauses between two tries grow. Needs Flux 0.50 or newer. Defaults to 5s.
	// +optional
	// +default="5s"
	// +kubebuilder:validation:MaxLength=64
	ConnectTimeout *string `json:"connectTimeout,omitempty"`

	// logLevel is the level up to which brokers write to their log, by the numbers of
	// syslog: from 0 (emergencies) through 6 (information) to 7 (debugging). It has no
	// effect in quiet logging. Defaults to 6.
	// +optional
	// +default=6
	LogLevel *int32 `json:"logLevel,omitempty"`

	// minimalService gives only the lead broker a host name, to spare the DNS of the
	// cluster; the other pods can then not be reached by name. Defaults to false.
	// +optional
	MinimalService bool `json:"minimalService,omitempty"`

	// scheduler configures the scheduler of Flux.
	// +optional
	Scheduler *FluxScheduler `json:"scheduler,omitempty"`

	// brokerConfig is the whole configuration of the brokers, in TOML. Without it the
	// operator writes one from the other fields.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	BrokerConfig string `json:"brokerConfig,omitempty"`

	// curveCert is the text of the CURVE certificate by which brokers trust each other.
	// Without it and curveCertSecret the operator makes one. Since anyone who can read the
	// MiniCluster can read it here, prefer curveCertSecret, which also goes first.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	CurveCert string `json:"curveCert,omitempty"`

	// curveCertSecret is the name of a Secret with the CURVE certificate under the key
	// curve.cert. MiniClusters that burst share one certificate.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	CurveCertSecret string `json:"curveCertSecret,omitempty"`

	// mungeSecret is the name of a Secret with the binary key of MUNGE, under a key that
	// has the same name as the Secret. It becomes /etc/munge/munge.key. MiniClusters that
	// burst share one key. Without it the operator makes one for a MiniCluster with users.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	MungeSecret string `json:"mungeSecret,omitempty"`

	// bursting extends the MiniCluster to other clusters, or makes it the extension of one.
	// +optional
	Bursting *Bursting `json:"bursting,omitempty"`
}

// FluxScheduler configures the scheduler of Flux.
type FluxScheduler struct {
	// queuePolicy is the order in which jobs are started: fcfs, first come, first served,
	// or easy, where small jobs may fill the gaps. Defaults to fcfs.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	QueuePolicy string `json:"queuePolicy,omitempty"`
}

// Bursting extends a MiniCluster to other clusters, or makes it the extension of one. All
// of them must know the same hosts in the same order, as a host's place is its rank. Hosts
// are told either by clusters or by hostlist.
type Bursting struct {
	// leadBroker is the lead broker to join. It is absent in the first MiniCluster, whose
	// own lead broker it is, and set in those that extend it.
	// +optional
	LeadBroker *FluxBroker `json:"leadBroker,omitempty"`

	// clusters are the clusters to extend to, in the same order everywhere.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Clusters []BurstedCluster `json:"clusters,omitempty"`

	// hostlist names all hosts in the notation of Flux, flux-sample-[0-3],compute-[001-003],
	// for hosts that the operator cannot know the names of. It excludes clusters.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Hostlist string `json:"hostlist,omitempty"`
}

// FluxBroker is the lead broker of the MiniCluster that others extend.
type FluxBroker struct {
	// address is the IP address or host name at which the broker can be reached from
	// outside of its cluster.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Address string `json:"address"`

	// name is the name of the broker's MiniCluster, the prefix of its host names.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// size is the number of brokers in the broker's MiniCluster, including itself.
	// +required
	Size int32 `json:"size"`

	// port is the TCP port at which the broker can be reached from outside of its cluster.
	// Defaults to 8050.
	// +optional
	// +default=8050
	Port int32 `json:"port,omitempty"`
}

// BurstedCluster is a cluster that a MiniCluster is extended to.
type BurstedCluster struct {
	// name is the prefix of the cluster's host names, different from that of all others.
	// Defaults to burst- and the place in the list, counted from 0.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// size is the number of brokers in the cluster. Defaults to the size of the
	// MiniCluster.
	// +optional
	Size int32 `json:"size,omitempty"`
}
