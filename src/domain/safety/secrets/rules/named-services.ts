import { type SecretRule, shaped } from '../rule.ts'
import { isKey } from '../values.ts'

const HEX = '[0-9a-f]'
const ALNUM = '[a-z0-9]'
const TOKEN = '[\\w=-]'
const UUID = `${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`

/**
 * Services whose keys have no beginning of their own, and how a key looks. Alphabets and lengths are facts taken from the
 * rules of gitleaks (MIT, see NOTICE); ids of clients are left out, as they are public.
 */
const SERVICES: readonly (readonly [service: string, key: string])[] = [
  ['Adafruit', `${TOKEN}{32}`],
  ['Airtable', `${ALNUM}{17}`],
  ['Algolia', `${ALNUM}{32}`],
  ['Alibaba', `${ALNUM}{30}`],
  ['Asana', `${ALNUM}{32}`],
  ['Atlassian', `${ALNUM}{20}${HEX}{4}`],
  ['Beamer', `b_${TOKEN}{44}`],
  ['Bitbucket', `${TOKEN}{64}|${ALNUM}{32}`],
  ['Bittrex', `${ALNUM}{32}`],
  ['Codecov', `${UUID}|${ALNUM}{32}`],
  ['Coinbase', `${TOKEN}{64}`],
  ['Confluence', `${ALNUM}{20}${HEX}{4}`],
  ['Confluent', `${ALNUM}{64}|${ALNUM}{16}`],
  ['Contentful', `${TOKEN}{43}`],
  ['Datadog', `${ALNUM}{40}|${HEX}{32}`],
  ['Discord', `${HEX}{64}|${TOKEN}{32}`],
  ['DroneCI', `${ALNUM}{32}`],
  ['Dropbox', `${ALNUM}{15}|${ALNUM}{11}AAAAAAAAAA${TOKEN}{43}`],
  ['Etsy', `${ALNUM}{24}`],
  ['Facebook', `${HEX}{32}`],
  ['Fastly', `${TOKEN}{32}`],
  ['Finicity', `${HEX}{32}|${ALNUM}{20}`],
  ['Finnhub', `${ALNUM}{20}`],
  ['Flickr', `${ALNUM}{32}|${HEX}{16}`],
  ['FreshBooks', `${ALNUM}{64}`],
  ['Gitter', `${TOKEN}{40}`],
  ['HubSpot', UUID],
  ['Instagram', `${ALNUM}{32}`],
  ['Intercom', `${TOKEN}{60}`],
  ['JFrog', `${ALNUM}{73}|${ALNUM}{64}`],
  ['Jira', `${ALNUM}{20}${HEX}{4}`],
  ['Kraken', '[a-z0-9/=_+-]{80,90}'],
  ['KuCoin', `${UUID}|${HEX}{24}`],
  ['LaunchDarkly', `${TOKEN}{40}`],
  ['Linear', `${HEX}{32}`],
  ['LinkedIn', `${ALNUM}{16}|${ALNUM}{14}`],
  ['Looker', `${ALNUM}{24}`],
  ['Mattermost', `${ALNUM}{26}`],
  ['Meraki', `${HEX}{40}`],
  ['MessageBird', `${ALNUM}{25}`],
  ['Netlify', `${TOKEN}{40,46}`],
  ['Newrelic', `${ALNUM}{64}`],
  ['NYTimes', `${TOKEN}{32}`],
  ['Okta', '00[\\w=-]{40}'],
  ['Plaid', `${ALNUM}{30}`],
  ['PrivateAI', `${ALNUM}{32}`],
  ['RapidAPI', `${TOKEN}{50}`],
  ['Sendbird', `${HEX}{40}`],
  ['Sentry', `${HEX}{64}`],
  ['Snyk', UUID],
  ['Sonar', `${TOKEN}{40}`],
  ['Squarespace', UUID],
  ['Sumo', `${ALNUM}{64}|su${ALNUM}{12}`],
  ['Telegram', '\\d{5,16}:A[\\w-]{34}'],
  ['Travis', `${ALNUM}{22}`],
  ['Trello', `[a-z0-9-]{32}|${HEX}{64}`],
  ['Twitch', `${ALNUM}{30}`],
  ['Twitter', `${ALNUM}{45}|${ALNUM}{50}|${ALNUM}{25}|\\d{15,25}-${ALNUM}{20,40}`],
  ['Unsplash', `${TOKEN}{43}`],
  ['Yandex', `${TOKEN}{38,42}`],
  ['Zendesk', `${ALNUM}{40}`],
]

/** The words behind a service's name that make it a key, not a commit or build. */
const KEY_WORD =
  '[ \\t_.-]{0,2}(?:\\w{1,16}[ \\t_.-]){0,2}?(?:\\w{0,12}(?:key|token|secret|auth|pass|pat|cred|access|api|private|admin|login|sign|client|app))\\w{0,8}'
const ASSIGNS = '["\'`]?\\s{0,4}(?:=>|:=|={1,2}|:|,)\\s{0,4}["\'`]?'

/** Keys that the name of their service stands before. */
export const NAMED_SERVICE_RULES: readonly SecretRule[] = SERVICES.map(([service, key]) =>
  shaped(
    `${service} key`,
    new RegExp(`(?<before>${service}(?:${KEY_WORD})?${ASSIGNS})(?:${key})(?![\\w/+=-])`, 'iy'),
    { keywords: [service.toLowerCase()], accepts: isKey, isGuess: true },
  ),
)
