import { useEffect, useRef, useState } from 'preact/hooks'
import type { Query } from './address.ts'
import { Ask } from './ask.tsx'
import { useCode } from './code.ts'
import { commandAgain } from './command.ts'
import { number } from './format.ts'
import { focusHeading, headingWanted } from './heading.ts'
import { connection, recent } from './live.ts'
import { useOperation } from './load.ts'
import { withShortIds } from './page-words.ts'
import { Button } from './parts/button.tsx'
import { Chip } from './parts/chip.tsx'
import { Dialog, isDialogOpen } from './parts/dialog.tsx'
import { Icon, Mark } from './parts/icon.tsx'
import { isTyping } from './parts/keys.ts'
import { Failure, Skeleton } from './parts/states.tsx'
import { Toasts } from './parts/toast.tsx'
import { go, Link, place, setQuery } from './router.tsx'
import { type ScreenRecord, screens } from './screens/table.ts'
import { session } from './session.ts'
import { shown } from './shown.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { Waiting } from './waiting.ts'

/** The page around the screens: side bar, search field, states of the connection. */
export function Shell() {
  const { screen: path, query } = place.value
  const screen = screens.find((each) => each.path === path)
  const decisions = useOperation('decisions', { limit: 1 }).data
  const waiting = decisions?.total ?? 0
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${number(waiting)}) ` : ''}${screen?.name ?? 'Nothing here'} · elfmem`
  }, [screen, waiting])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isMeant =
        (event.key === 'k' && (event.metaKey || event.ctrlKey)) ||
        (event.key === '/' && !isTyping(event.target))
      if (!isMeant || isDialogOpen()) return
      event.preventDefault()
      setAsking(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <div class="shell">
      <a class="button skip" href="#main">
        To the screen
      </a>
      <SideBar waiting={waiting} />
      <div class="center">
        <header class="top">
          <span class="only-narrow">
            <Mark />
          </span>
          <button type="button" class="ask" onClick={() => setAsking(true)}>
            <Icon name="search" />
            <span class="clip">Search or ask</span>
            <span class="key only-wide">/</span>
          </button>
          <span class="grow only-wide" />
          <span class="only-narrow row">
            <span class={`dot ${connection.value}`} />
            <span class="unseen">{CONNECTION[connection.value]}</span>
          </span>
          <ThemeSwitch />
        </header>
        {connection.value === 'ended' && session.value.state === 'open' && <Ended />}
        <Waiting.Provider value={decisions ?? NONE}>
          <div class="split">
            <main id="main" class={screen?.form === 'full' ? 'page full' : 'page'} tabIndex={-1}>
              {screen ? <Loaded screen={screen} query={query} /> : <Nowhere />}
            </main>
            {query.block && <LoadedDrawer id={query.block} isFloating={screen?.drawer !== 'beside'} />}
          </div>
        </Waiting.Provider>
        <Tabs waiting={waiting} />
      </div>
      {session.value.state === 'locked' && <LockedBar />}
      {isAsking && <Ask onClose={() => setAsking(false)} />}
      <Toasts />
    </div>
  )
}

const NONE = {}

const CONNECTION = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connecting again',
  ended: 'The command has ended',
} as const

function SideBar({ waiting }: { readonly waiting: number }) {
  const [newest] = recent.value
  return (
    <nav class="side" aria-label="Screens">
      <div class="brand">
        <Mark />
        elfmem
      </div>
      {screens.map((screen) => (
        <Link key={screen.path} class="nav" to={screen.path} aria-current={currentOf(screen)}>
          <Icon name={screen.icon} />
          {screen.name}
          {screen.path === 'review' && <WaitingCount count={waiting} />}
        </Link>
      ))}
      <div class="side-foot">
        <div class="row wrap" title="What agents do shows here as it happens">
          <span class={`dot ${connection.value}`} />
          {CONNECTION[connection.value]}
          {session.value.readOnly && (
            <Chip tone="warn" icon="eye">
              read only
            </Chip>
          )}
          {session.value.scope && <Chip title="Only this scope is seen">{session.value.scope}</Chip>}
        </div>
        <div class="clip-2" aria-live="polite" dir="auto">
          {newest && shown(`${newest.actor}: ${withShortIds(newest.summary)}`)}
        </div>
      </div>
    </nav>
  )
}

function WaitingCount({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <span class="waiting-count">
      {number(count)}
      <span class="unseen"> decisions wait</span>
    </span>
  )
}

function currentOf({ path }: ScreenRecord): 'page' | undefined {
  return path === place.value.screen ? 'page' : undefined
}

function Tabs({ waiting }: { readonly waiting: number }) {
  const [isOpen, setOpen] = useState(false)
  const others = screens.filter(({ isInBar }) => !isInBar)
  return (
    <>
      <nav class="tabs" aria-label="Screens, short">
        {screens
          .filter(({ isInBar }) => isInBar)
          .map((screen) => (
            <Link key={screen.path} to={screen.path} aria-current={currentOf(screen)}>
              <Icon name={screen.icon} size={20} />
              {screen.short ?? screen.name}
              {screen.path === 'review' && <WaitingCount count={waiting} />}
            </Link>
          ))}
        <button
          type="button"
          aria-haspopup="dialog"
          aria-current={others.some((each) => currentOf(each)) ? 'page' : undefined}
          onClick={() => setOpen(true)}
        >
          <Icon name="more" size={20} />
          More
        </button>
      </nav>
      {isOpen && (
        <Dialog title="More screens" onClose={() => setOpen(false)}>
          <div class="column">
            {others.map(({ path, name, icon }) => (
              <Button
                key={path}
                icon={icon}
                onClick={() => {
                  setOpen(false)
                  go(path)
                }}
              >
                {name}
              </Button>
            ))}
          </div>
        </Dialog>
      )}
    </>
  )
}

function Ended() {
  return (
    <div class="bar" role="alert">
      <Icon name="alert" />
      <span>
        The dashboard’s command has ended. Start it again:{' '}
        <code class="mono">{commandAgain(session.value)}</code>
      </span>
    </div>
  )
}

/** Above all, dialogs included: what is typed in them stays in view, and a new link opens the page without losing it. */
function LockedBar() {
  return (
    <div class="bar locked-bar" role="alert">
      <Icon name="lock" />
      <span>
        <b>This dashboard is locked</b>, since its command was started again. Nothing is lost: open the link
        that <code class="mono">{commandAgain(session.value)}</code> prints in a new tab, and this one goes
        on.
      </span>
    </div>
  )
}

function Nowhere() {
  return (
    <div class="empty">
      <h1>There is no such screen</h1>
      <Link class="button" to="overview">
        To what it knows
      </Link>
    </div>
  )
}

/** A screen's own code is loaded when it is first shown. */
function Loaded({ screen, query }: { readonly screen: ScreenRecord; readonly query: Query }) {
  const { found, failure, again } = useCode(screen.path, screen.load)
  const wanted = headingWanted.value
  const given = useRef(wanted)
  useEffect(() => {
    const main = document.getElementById('main')
    if (found === undefined || main === null || given.current === wanted) return
    given.current = wanted
    return focusHeading(main)
  }, [found, wanted])
  if (failure) return <Unloaded name={screen.name} why={failure} again={again} />
  if (found === undefined) return <Skeleton lines={9} />
  return <found.Screen key={screen.path} query={query} />
}

function Unloaded({ name, ...failure }: { readonly name: string } & Parameters<typeof Failure>[0]) {
  return (
    <div class="sheet">
      <h1>{name}</h1>
      <Failure {...failure} />
    </div>
  )
}

const loadDrawer = () => import('./block/block-drawer.tsx')

function LoadedDrawer(props: { readonly id: string; readonly isFloating: boolean }) {
  const { found, failure, again } = useCode('drawer', loadDrawer)
  if (failure)
    return (
      <div class="drawer drawer-body">
        <Failure why={failure} again={again} />
        <Button onClick={() => setQuery({ block: undefined, act: undefined })}>Close</Button>
      </div>
    )
  return found === undefined ? null : <found.BlockDrawer {...props} />
}
