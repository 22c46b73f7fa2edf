import './overview.css'
import type { Query } from '../../address.ts'
import type { Output } from '../../api.ts'
import { type Loaded, useOperation } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Pending } from '../../parts/states.tsx'
import { Link, setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { sentenceOf } from '../health/sentence.ts'
import { FirstRun } from './first-run.tsx'
import { Lasting, useLasting } from './lasting.tsx'
import { Names, useNames } from './names.tsx'
import { Theme } from './theme.tsx'

/** Longest name or topic that the operation takes. */
const ABOUT_MOST = 200

/** The first screen: what the memory knows, in themes, and all that it knows of a name. */
export function Screen({ query }: { readonly query: Query }) {
  const about = query.about?.trim().slice(0, ABOUT_MOST) || undefined
  // All is asked for at once: one answer after the other would be as many times to wait.
  const status = useOperation('status', {})
  const overview = useOperation('overview', about === undefined ? {} : { about })
  const names = useNames()
  const lasting = useLasting()
  return (
    <div class="sheet">
      <Pending loaded={status} lines={12}>
        {(known) =>
          known.activeCount + known.inboxCount + known.archivedCount === 0 ? (
            <FirstRun />
          ) : (
            <>
              <Head about={about} />
              {about === undefined && <Stand status={known} />}
              <Names loaded={names} about={about} />
              <Themes loaded={overview} />
              {about === undefined && (
                <div class="known-lasting">
                  <Lasting loaded={lasting} />
                </div>
              )}
            </>
          )
        }
      </Pending>
    </div>
  )
}

function Head({ about }: { readonly about: string | undefined }) {
  return (
    <div class="row between wrap">
      <div class="row wrap">
        <h1 dir="auto">{about === undefined ? 'What it knows' : shown(about)}</h1>
        {about !== undefined && (
          <Link class="link small" to="overview">
            Everything
          </Link>
        )}
      </div>
      <form
        class="row"
        key={about}
        onSubmit={(event) => {
          event.preventDefault()
          const wanted = String(new FormData(event.currentTarget).get('about')).trim()
          setQuery({ about: wanted || undefined }, 'push')
        }}
      >
        <input
          class="field"
          dir="auto"
          name="about"
          maxLength={ABOUT_MOST}
          aria-label="A name or a topic"
          placeholder="A name or a topic"
          defaultValue={about ?? ''}
        />
        <Button type="submit">Show</Button>
      </form>
    </div>
  )
}

/** How the memory is, in a line that leads to more. */
function Stand({ status }: { readonly status: Output<'status'> }) {
  const { tone, title, text } = sentenceOf(status)
  return (
    <Link class="card line known-stand" to={status.decisionsWaiting > 0 ? 'review' : 'health'}>
      <span class={`badge ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'alert'} />
      </span>
      <span class="main">
        <b>{title}</b> <span class="second only-wide">{text}</span>
      </span>
      <Icon name="right" />
    </Link>
  )
}

function Themes({ loaded }: { readonly loaded: Loaded<Output<'overview'>> }) {
  return (
    <Pending loaded={loaded} lines={10}>
      {({ summary, themes }) => (
        <>
          <p class="second small" role="status">
            {shown(summary)} Words as they were kept; nothing is summed up.
          </p>
          <div class="known-themes">
            {themes.map((theme) => (
              <Theme key={theme.blocks[0]?.id} {...theme} />
            ))}
          </div>
        </>
      )}
    </Pending>
  )
}
