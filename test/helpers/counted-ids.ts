import { createHash } from 'node:crypto'

/** Makes ids that are numbers behind a name, so that two memories can be compared. */
export function countedIds(name = 'id') {
  let count = 0
  return {
    random: () => `random-${name}-${++count}`,
    sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
  }
}
