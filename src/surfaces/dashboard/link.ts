import { ElfmemError } from '../../errors.ts'

/** The screens of the page by the names that a command line gives them. */
const SCREENS = 'overview memory recall graph review journal identity health doctor'.split(' ')
/** The beginning of a block's id, as lists print it: a word is none, for it has no digit. */
const BLOCK = /^(?=[a-f]{0,63}\d)[0-9a-f]{8,64}$/

/** The address of the page for what somebody wants to see: a screen, a block by its id, else a question. */
export function pagePath(what: string | undefined): string {
  const asked = what?.trim() ?? ''
  if (asked === '' || asked === 'overview') return '/'
  if (SCREENS.includes(asked)) return `/${asked}`
  if (BLOCK.test(asked)) return `/memory?${new URLSearchParams({ block: asked })}`
  return `/recall?${new URLSearchParams({ q: asked })}`
}

/** The link that opens the page once. */
export function linkOf(origin: string, path: string, code: string): string {
  return `${origin}${path}#code=${code}`
}

/** The origin of an address that somebody gives; throws `INVALID_INPUT` for what is none. */
export function originFrom(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.username === '')
    return url.origin
  throw new ElfmemError('INVALID_INPUT', '--origin is no address of a page.', {
    recovery: 'Write it as the browser shows it, such as http://127.0.0.1:9000.',
  })
}
