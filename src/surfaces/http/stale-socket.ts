import { once } from 'node:events'
import { lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'

/** Removes a socket of this user at which nobody listens, and returns true if it did. Anything else at the path stays. */
export async function removeStaleSocket(path: string): Promise<boolean> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket() !== true || found.uid !== process.getuid?.()) return false
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ECONNREFUSED') return false
    // Another server may have made a socket at the path meanwhile.
    if (lstatSync(path, { throwIfNoEntry: false })?.ino !== found.ino) return false
    unlinkSync(path)
    return true
  } finally {
    socket.destroy()
  }
}
