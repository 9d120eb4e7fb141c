package minicluster

import (
	"maps"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// reserved is the prefix of the names of the operator's volumes in a pod.
const reserved = "flux-operator-"

// ownVolume is a volume of the operator, and its mount paths.
type ownVolume struct {
	corev1.Volume
	paths    []string
	writable bool
}

// ownVolumes returns the operator's volumes: that of each container with an entrypoint and, if runsFlux is
// set, those of the one that runs Flux.
func ownVolumes(mc *api.MiniCluster, runsFlux bool) []ownVolume {
	flux := mc.Spec.Flux
	all := []ownVolume{own("entrypoint", fromConfigMap(EntrypointConfigMap(mc), nil), scriptDir)}
	if !runsFlux {
		return all
	}
	all = append(all, own("config", fromConfigMap(FluxConfigMap(mc), nil), configDir))
	if flux.CurveCertSecret != "" {
		all = append(all, own("curve", private(mc, flux.CurveCertSecret, map[string]string{curveFile: curveFile}), curveDir))
	}
	if flux.MungeSecret != "" {
		all = append(all, own("munge", private(mc, flux.MungeSecret, map[string]string{flux.MungeSecret: mungeFile}),
			mungeDir))
	}
	for _, k := range keySecrets(mc) {
		all = append(all, own(k.suffix, private(mc, k.name(mc), nil), "/mnt/"+k.suffix))
	}
	if restricted(mc) {
		// Directories of the image that only root can write to.
		run := own("run", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}, runDir, path.Dir(certificateFile),
			path.Dir(resourceFile))
		run.writable = true
		all = append(all, run)
	}
	return all
}

// private returns a Secret whose files only root can read, or its group in a restricted pod: the entrypoint
// gives each process its own.
func private(mc *api.MiniCluster, name string, items map[string]string) corev1.VolumeSource {
	source := fromSecret(name, items)
	source.Secret.DefaultMode = new(int32(0o400))
	if restricted(mc) {
		source.Secret.DefaultMode = new(int32(0o440))
	}
	return source
}

func own(name string, source corev1.VolumeSource, paths ...string) ownVolume {
	return ownVolume{Volume: corev1.Volume{Name: reserved + name, VolumeSource: source}, paths: paths}
}

// podVolumes returns the volumes of a pod: the operator's, then those of its containers, sorted by name.
func podVolumes(mc *api.MiniCluster, from []api.MiniClusterContainer, service bool) []corev1.Volume {
	var out []corev1.Volume
	for _, v := range ownVolumes(mc, !service) {
		if !service || slices.ContainsFunc(from, func(c api.MiniClusterContainer) bool { return c.Command != "" }) {
			out = append(out, v.Volume)
		}
	}
	sources := map[string]corev1.VolumeSource{}
	for _, c := range from {
		for key := range c.Volumes {
			sources[key] = fromClaim(ClaimName(mc, key))
		}
		for key, volume := range c.ExistingVolumes {
			sources[key] = existingSource(volume)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		out = append(out, corev1.Volume{Name: name, VolumeSource: sources[name]})
	}
	return out
}

// mounts returns the volume mounts of a container.
func mounts(s script) []corev1.VolumeMount {
	var all []corev1.VolumeMount
	for _, v := range ownVolumes(s.MiniCluster, s.Flux()) {
		if !s.exists() {
			continue
		}
		for _, path := range v.paths {
			all = append(all, corev1.VolumeMount{Name: v.Name, MountPath: path, ReadOnly: !v.writable})
		}
	}
	users := map[string]corev1.VolumeMount{}
	for key, v := range s.Container.Volumes {
		users[key] = corev1.VolumeMount{Name: key, MountPath: v.Path, ReadOnly: v.ReadOnly}
	}
	for key, v := range s.Container.ExistingVolumes {
		if v.Path != "" {
			users[key] = corev1.VolumeMount{Name: key, MountPath: v.Path, ReadOnly: v.ReadOnly}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		all = append(all, users[name])
	}
	return all
}

// existingSource returns the first source that is set, in the order that the API documents.
func existingSource(v api.MiniClusterExistingVolume) corev1.VolumeSource {
	switch {
	case v.SecretName != "":
		return fromSecret(v.SecretName, nil)
	case v.ConfigMapName != "":
		return fromConfigMap(v.ConfigMapName, v.Items)
	}
	return fromClaim(v.ClaimName)
}

func fromClaim(name string) corev1.VolumeSource {
	return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}
}

func fromSecret(name string, items map[string]string) corev1.VolumeSource {
	return corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name, Items: keyToPaths(items)}}
}

func fromConfigMap(name string, items map[string]string) corev1.VolumeSource {
	return corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: name}, Items: keyToPaths(items),
	}}
}

func keyToPaths(items map[string]string) []corev1.KeyToPath {
	var all []corev1.KeyToPath
	for _, key := range slices.Sorted(maps.Keys(items)) {
		all = append(all, corev1.KeyToPath{Key: key, Path: items[key]})
	}
	return all
}
