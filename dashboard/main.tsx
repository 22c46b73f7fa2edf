import './styles/index.css'
import { render } from 'preact'
import { loadCode } from './code.ts'
import { commandAgain } from './command.ts'
import { follow } from './live.ts'
import { Icon } from './parts/icon.tsx'
import { Skeleton } from './parts/states.tsx'
import { place, startRouter } from './router.tsx'
import { screens } from './screens/table.ts'
import { openSession, session } from './session.ts'
import { Shell } from './shell.tsx'

/** The page, or why there is none. */
function Page() {
  const { state, wasOpen } = session.value
  if (state === 'starting')
    return (
      <div class="page">
        <Skeleton lines={8} />
      </div>
    )
  // What is in view stays, and what is typed with it.
  if (state === 'locked' && !wasOpen) return <Locked />
  return <Shell />
}

function Locked() {
  return (
    <main class="locked">
      <div class="empty">
        <Icon name="lock" size={36} />
        <h1>This dashboard is locked</h1>
        <div>
          Open the link that <code class="mono">{commandAgain(session.value)}</code> printed, or run it again
          for a new one. A link works once, so that nobody who finds it later gets in.
        </div>
      </div>
    </main>
  )
}

const root = document.getElementById('app')
if (root) render(<Page />, root)
startRouter()
// The screen's code comes while the link is traded.
const wanted = screens.find(({ path }) => path === place.value.screen)
if (wanted) void loadCode(wanted.path, wanted.load)
// Nothing is awaited here: the code of a screen comes in files of its own, which wait until this one has run.
void openSession().then((opened) => opened && follow(opened.last))
