/**
 * True if an address stays on this machine: `localhost` and names under it, 127.0.0.0/8 and ::1. Whatever cannot be
 * read counts as somewhere else, so that nothing is sent out by mistake.
 */
export function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? ''
  return host === '[::1]' || /^(?:[\w-]+\.)*localhost$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host)
}
