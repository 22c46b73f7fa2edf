import { signal } from '@preact/signals'
import type { AnchorHTMLAttributes, ComponentChildren } from 'preact'
import { addressOf, type Place, placeOf, type Query } from './address.ts'

/** Where the page is. */
export const place = signal<Place>({ screen: 'overview', query: {} })

/** Reads the address, now and whenever the browser goes back. */
export function startRouter(): void {
  const read = () => {
    place.value = placeOf(location.pathname, location.search)
  }
  read()
  addEventListener('popstate', read)
}

/** Goes to a screen. */
export function go(screen: string, query: Query = {}, how: 'push' | 'replace' = 'push'): void {
  const next = { screen, query }
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', addressOf(next))
  place.value = placeOf(location.pathname, location.search)
}

/** Changes some of what the screen shows; undefined takes a key away. Back goes over it unless `push` is said. */
export function setQuery(change: Query, how: 'push' | 'replace' = 'replace'): void {
  const { screen, query } = place.value
  go(screen, { ...query, ...change }, how)
}

/** Opens the drawer of a block beside whatever screen is shown. */
export function openBlock(id: string): void {
  setQuery({ block: id }, place.value.query.block === undefined ? 'push' : 'replace')
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'class' | 'children' | 'role'> {
  readonly to: string
  readonly query?: Query
  readonly class?: string
  readonly children?: ComponentChildren
}

/** A link to a screen; opens a tab of its own where the browser would. */
export function Link({ to, query = {}, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={addressOf({ screen: to, query })}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        go(to, query)
      }}
    >
      {children}
    </a>
  )
}
