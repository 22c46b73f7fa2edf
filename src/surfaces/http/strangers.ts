import type { Socket } from 'node:net'

/**
 * Connections on which nobody has shown a token yet. Of one too many, that which waits longest is closed, so that however many say
 * nothing, who has a token is heard: a client sends it at once.
 */
export class Strangers {
  /** The oldest first. */
  readonly #sockets = new Set<Socket>()
  readonly #most: number

  /** @param most of them at once */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts a new connection. */
  meet(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    const [oldest] = this.#sockets
    if (this.#sockets.size <= this.#most || oldest === undefined) return
    this.#sockets.delete(oldest)
    oldest.destroy()
  }

  /** A token was shown on it that opens something. */
  know(socket: Socket): void {
    this.#sockets.delete(socket)
  }
}
