import { useEffect, useState } from 'preact/hooks'

const known = new Map<string, unknown>()

/** Loads the code of a part of the page, once; whoever asks for it early need not wait when it is shown. */
export async function loadCode(name: string, load: () => Promise<unknown>): Promise<void> {
  if (!known.has(name)) known.set(name, await load())
}

/** The code of a part of the page; undefined until it is there. */
export function useCode<C extends object>(name: string, load: () => Promise<C>): C | undefined {
  const [, setCount] = useState(0)
  const found = known.get(name) as C | undefined
  useEffect(() => {
    // It may have come since it was looked for.
    if (found === undefined) void loadCode(name, load).then(() => setCount((count) => count + 1))
  }, [name])
  return found
}
