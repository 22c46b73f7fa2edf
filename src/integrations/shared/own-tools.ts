const named = new WeakMap<object, Set<string>>()

/** The names under which a program has tools of a memory: what is said in their calls is said to the memory itself. */
export function ownTools(memory: object): Set<string> {
  const names = named.get(memory) ?? new Set()
  named.set(memory, names)
  return names
}
