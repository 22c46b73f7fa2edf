import { type SecretRule, shaped } from '../rule.ts'

/**
 * Keys of further makers. Beginnings, alphabets and lengths are facts taken from the rules of gitleaks (MIT, see NOTICE)
 * and from the makers' own pages.
 */
export const VENDOR_RULES: readonly SecretRule[] = [
  shaped(
    '1Password secret key',
    /(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])/y,
  ),
  shaped('Adobe client secret', /(?<![A-Za-z0-9])p8e-[A-Za-z0-9_-]{32}(?![\w-])/y),
  shaped('Artifactory key', /(?<![A-Za-z0-9])AKCp[A-Za-z0-9]{69}(?![A-Za-z0-9])/y),
  shaped('Artifactory token', /(?<![A-Za-z0-9])cmVmd[A-Za-z0-9]{59}(?![A-Za-z0-9])/y),
  shaped(
    'Authress key',
    /(?<![A-Za-z0-9])(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}/iy,
    { keywords: ['sc_', 'ext_', 'scauth_', 'authress_'] },
  ),
  shaped('AWS Bedrock key', /(?<![\w-])bedrock-api-key-[A-Za-z0-9+/]{40,2000}={0,2}/y),
  shaped('ClickHouse key', /(?<![A-Za-z0-9])4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])/y),
  shaped('Clojars token', /(?<![A-Za-z0-9])CLOJARS_[A-Za-z0-9]{60}/iy),
  shaped('Cloudflare token', /(?<![A-Za-z0-9])cf(?:ut|at|k)_[A-Za-z0-9_-]{40,64}/y, {
    keywords: ['cfut_', 'cfat_', 'cfk_'],
  }),
  shaped('Contentful token', /(?<![A-Za-z0-9])CFPAT-[\w-]{43}(?![\w-])/y),
  shaped('Defined Networking key', /(?<![A-Za-z0-9])dnkey-[\w=-]{26}-[\w=-]{52}/iy),
  shaped('Duffel token', /(?<![A-Za-z0-9])duffel_(?:test|live)_[\w=-]{43}/iy),
  shaped('Dynatrace token', /(?<![A-Za-z0-9])dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}/iy, {
    keywords: ['dt0'],
  }),
  shaped('EasyPost key', /(?<![A-Za-z0-9])EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])/y, {
    keywords: ['ezak', 'eztk'],
  }),
  shaped('Fly.io token', /(?<![A-Za-z0-9])(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{60,2000}={0,3})/y, {
    keywords: ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'],
  }),
  shaped('Frame.io token', /(?<![A-Za-z0-9])fio-u-[\w=-]{64}/iy),
  shaped('Freemius key', /(?<before>["']secret_key["']\s{0,8}=>\s{0,8}["'])sk_\S{29}(?=["'])/iy, {
    keywords: ['"secret_key"', "'secret_key'"],
  }),
  shaped('GitLab token', /(?<![A-Za-z0-9])GR1348941[\w-]{20}/y),
  shaped('GitLab session', /(?<before>(?<![A-Za-z0-9])_gitlab_session=)[0-9a-z]{32}/y, {
    keywords: ['_gitlab_session='],
  }),
  shaped('GoCardless token', /(?<![A-Za-z0-9])live_[\w=-]{40}(?![\w=-])/y, {
    accepts: (value) => /\d/.test(value) && /[a-z]/i.test(value.slice(5)),
  }),
  shaped('Grafana key', /(?<![A-Za-z0-9])eyJrIjoi[A-Za-z0-9]{70,400}={0,3}/y),
  shaped(
    'Harness key',
    /(?<![A-Za-z0-9])(?:pat|sat)\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?![A-Za-z0-9])/y,
    {
      keywords: ['pat.', 'sat.'],
    },
  ),
  shaped(
    'HubSpot token',
    /(?<![A-Za-z0-9])pat-(?:na|eu|ap)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iy,
    {
      keywords: ['pat-na', 'pat-eu', 'pat-ap'],
    },
  ),
  shaped('Infracost key', /(?<![A-Za-z0-9])ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])/y),
  shaped('Intra42 secret', /(?<![A-Za-z0-9])s-s4t2(?:ud|af)-[0-9a-f]{64}/iy),
  shaped('LaunchDarkly key', /(?<![A-Za-z0-9])(?:api|sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/y, {
    keywords: ['api-', 'sdk-', 'mob-'],
  }),
  shaped('Lob key', /(?<![A-Za-z0-9])(?:live|test)_[0-9a-f]{35}(?![0-9a-f])/y, {
    keywords: ['live_', 'test_'],
  }),
  shaped('Mailgun key', /(?<![A-Za-z0-9])[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}(?![\w-])/y, {
    keywords: ['mailgun'],
  }),
  shaped('Mapbox token', /(?<![A-Za-z0-9])[ps]k\.(?:eyJ[\w-]{40,400}|[a-z0-9]{60})\.[\w-]{22}(?![\w-])/iy, {
    keywords: ['pk.', 'sk.'],
  }),
  shaped('MaxMind key', /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/y, {
    keywords: ['_mmk'],
    lead: [/\w/, 36],
  }),
  shaped('New Relic key', /(?<![\w-])NRII-[A-Za-z0-9-]{32}/iy),
  shaped('New Relic key', /(?<![\w-])NRJS-[0-9a-f]{19}/iy),
  shaped('Octopus Deploy key', /(?<![A-Za-z0-9])API-[A-Z0-9]{26}(?![A-Za-z0-9])/y, {
    accepts: (value) => /\d/.test(value),
  }),
  shaped('OpenShift token', /(?<![A-Za-z0-9])sha256~[\w-]{43}(?![\w-])/y),
  shaped(
    'Plaid token',
    /(?<![A-Za-z0-9])access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iy,
    {
      keywords: ['access-sandbox-', 'access-development-', 'access-production-'],
    },
  ),
  shaped('Prefect key', /(?<![A-Za-z0-9])pn[ub]_[A-Za-z0-9]{36}(?![A-Za-z0-9])/y, {
    keywords: ['pnu_', 'pnb_'],
  }),
  shaped('ReadMe key', /(?<![A-Za-z0-9])rdme_[a-z0-9]{70}/iy),
  shaped('Scalingo token', /(?<![A-Za-z0-9])tk-us-[\w-]{48}(?![\w-])/y),
  shaped('SendGrid key', /(?<![\w.-])SG\.[\w=.-]{66}(?![\w.-])/y, { keywords: ['sg.'] }),
  shaped('SettleMint token', /(?<![A-Za-z0-9])sm_[aps]at_[A-Za-z0-9]{16}(?![A-Za-z0-9])/y, {
    keywords: ['sm_aat_', 'sm_pat_', 'sm_sat_'],
  }),
  shaped('Shippo token', /(?<![A-Za-z0-9])shippo_(?:live|test)_[0-9a-f]{40}/iy),
  shaped(
    'Sidekiq key',
    /(?<before>BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM["']?\s{0,4}[:=]\s{0,4}["']?)[0-9a-f]{8}:[0-9a-f]{8}/iy,
    { keywords: ['bundle_enterprise__contribsys__com', 'bundle_gems__contribsys__com'] },
  ),
  shaped('Snyk token', /(?<![A-Za-z0-9])snyk_(?:uat|sat)\.[\w-]{20,300}\.[\w-]{20,300}/y, {
    keywords: ['snyk_uat.', 'snyk_sat.'],
  }),
  shaped('SonarQube token', /(?<![A-Za-z0-9])sq[upa]_[0-9a-f]{40}(?![0-9a-f])/iy, {
    keywords: ['squ_', 'sqp_', 'sqa_'],
  }),
  shaped('Sourcegraph token', /(?<![A-Za-z0-9])sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}(?![0-9a-f])/iy),
  shaped('Twitter bearer token', /(?<![A-Za-z0-9%])AAAAA{18}[A-Za-z0-9%]{80,100}/y),
  shaped('Typeform token', /(?<![A-Za-z0-9])tfp_[\w.=-]{59}/iy),
  shaped('HashiCorp Vault token', /(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w.-])/y, {
    keywords: [...'abcdefghijklmnopqrstuvwxyz0123456789'].map((sign) => `s.${sign}`),
    accepts: (value) => /\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value.slice(2)),
  }),
  shaped('Vercel token', /(?<![A-Za-z0-9])vc[piark]_[A-Za-z0-9]{20,60}(?![A-Za-z0-9])/y, {
    keywords: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
  }),
  shaped(
    'Yandex key',
    /(?<![\w-])(?:t1\.[\w-]{20,400}={0,2}\.[\w-]{86}={0,2}|AQVN[\w-]{35,38}|YC[MP][\w-]{37})(?![\w-])/y,
    {
      keywords: ['t1.', 'aqvn', 'ycm', 'ycp'],
    },
  ),
  shaped('Langfuse key', /(?<![A-Za-z0-9])sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iy),
  shaped('Fireworks key', /(?<![A-Za-z0-9])fw_[A-Za-z0-9]{22,40}(?![A-Za-z0-9])/y, {
    accepts: (value) => /\d/.test(value) && /[A-Z]/.test(value),
  }),
  shaped('NVIDIA key', /(?<![A-Za-z0-9])nvapi-[\w-]{60,80}/y),
  shaped('Buildkite token', /(?<![A-Za-z0-9])bk(?:ua|aj|at)_[0-9a-f]{40}/y, {
    keywords: ['bkua_', 'bkaj_', 'bkat_'],
  }),
  shaped('CircleCI token', /(?<![A-Za-z0-9])CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}/y, {
    keywords: ['ccipat_', 'cciprj_'],
  }),
  shaped('Crates.io token', /(?<![A-Za-z0-9])cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/y, {
    accepts: (value) => /\d/.test(value) && /[A-Z]/.test(value),
  }),
  shaped('PostHog key', /(?<![A-Za-z0-9])ph[xcs]_[A-Za-z0-9]{43,48}(?![A-Za-z0-9])/y, {
    keywords: ['phx_', 'phs_'],
  }),
  shaped('Neon key', /(?<![A-Za-z0-9])napi_[a-z0-9]{60,70}(?![a-z0-9])/y),
]
