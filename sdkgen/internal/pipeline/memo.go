package pipeline

import "sync"

// memo works out a value for each key, once, also for those who ask at the same time.
type memo[V any] struct {
	lock sync.Mutex
	made map[string]func() (V, error)
}

func (m *memo[V]) get(key string, work func() (V, error)) (V, error) {
	m.lock.Lock()
	if m.made == nil {
		m.made = map[string]func() (V, error){}
	}
	once, ok := m.made[key]
	if !ok {
		once = sync.OnceValues(work)
		m.made[key] = once
	}
	m.lock.Unlock()
	return once()
}
