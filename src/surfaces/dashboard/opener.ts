import { spawn } from 'node:child_process'

type Environment = Readonly<Record<string, string | undefined>>

/** The program of a system that opens an address, and its arguments; no shell reads them. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...string[]]>>> = {
  darwin: ['open'],
  // `start` is a word of the shell; this is what it calls.
  win32: ['rundll32.exe', 'url.dll,FileProtocolHandler'],
}
const ELSEWHERE = ['xdg-open'] as const

/** False where no browser can be seen from: a session over ssh, or a system without a screen. */
export function hasBrowser(env: Environment, platform: NodeJS.Platform = process.platform): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME)
}

/** Opens a link in the browser. Nothing comes of a failure: the link was printed. */
export function openBrowser(link: string, env: Environment): void {
  const [program, ...before] = OPENERS[process.platform] ?? ELSEWHERE
  const child = spawn(program, [...before, link], {
    ...{ env: { ...env }, stdio: 'ignore', detached: true, windowsHide: true, shell: false },
  })
  child.on('error', () => undefined)
  child.unref()
}
