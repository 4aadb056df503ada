import type { ReactNode } from "react";

/** Drawn in the colours of the theme, so each picture follows mode and preset. The parcel is on its way through all of them. */
function Picture({ children }: { children: ReactNode }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 240 160"
      className="mb-2 w-72 max-w-full fill-none stroke-ink stroke-2 [&_*]:[stroke-linecap:round] [&_*]:[stroke-linejoin:round]"
    >
      <ellipse cx="120" cy="84" rx="104" ry="66" className="fill-primary-soft stroke-none" />
      <path d="M18 140h204" className="stroke-muted" />
      {children}
    </svg>
  );
}

/** Its foot stands at the middle of the given place. */
function Parcel({ x, y, turn = 0 }: { x: number; y: number; turn?: number }) {
  return (
    <g transform={`translate(${x} ${y}) rotate(${turn})`}>
      <rect x="-22" y="-34" width="44" height="34" rx="3" className="fill-paper" />
      <path d="M-7 -34h14v12l-7 -4l-7 4z" className="fill-primary stroke-none" />
      <path d="M-16 -8h10" className="stroke-muted" />
    </g>
  );
}

/** A signpost with no way to where the parcel wants to go. */
export function NotFoundPicture() {
  return (
    <Picture>
      <path d="M150 140V44" strokeWidth="4" />
      <path d="M150 48h44l12 11l-12 11h-44z" className="fill-paper" />
      <path d="M150 78h-40l-12 11l12 11h40z" className="fill-primary" />
      <path d="M164 59h22" className="stroke-muted" />
      <path d="M112 89h24" className="stroke-on-primary" />
      <Parcel x={66} y={140} />
      <path d="M60 92c0-13 18-13 18-2c0 7-9 7-9 14" className="stroke-primary-ink" strokeWidth="3" />
      <circle cx="69" cy="110" r="1" className="stroke-primary-ink" strokeWidth="3" />
      <path d="M196 128c6-8 12-8 18 0M30 134c3-5 7-5 10 0" className="stroke-muted" />
    </Picture>
  );
}

/** Racks of a server, one of them with its lamp out and its cable hanging. */
export function ServerErrorPicture() {
  return (
    <Picture>
      {[40, 72, 104].map((y) => (
        <g key={y}>
          <rect x="84" y={y} width="84" height="28" rx="4" className="fill-paper" />
          <path d={`M122 ${y + 10}h34M122 ${y + 18}h22`} className="stroke-muted" />
        </g>
      ))}
      <circle cx="99" cy="54" r="5" className="fill-primary" />
      <circle cx="99" cy="118" r="5" className="fill-primary" />
      <path d="M95 82l8 8M103 82l-8 8" className="stroke-bad" strokeWidth="3" />
      <path d="M168 86h14c10 0 10 14 2 16s-6 14 4 14" className="stroke-primary-ink" strokeWidth="3" />
      <path d="M188 110v12M194 113h6M194 119h6" className="stroke-primary-ink" strokeWidth="3" />
      <path d="M96 132v8M156 132v8" />
      <Parcel x={50} y={140} turn={0} />
      <path d="M196 52l8-8M202 66h11M186 42v-11" className="stroke-muted" />
    </Picture>
  );
}

/** A parcel that is being lifted into place. */
export function ComingSoonPicture() {
  return (
    <Picture>
      <path d="M74 140V26M32 40h142" strokeWidth="4" />
      <path d="M74 26L40 40M74 26L166 40M60 140h28" />
      <rect x="30" y="40" width="22" height="16" rx="2" className="fill-primary" />
      <path d="M142 40v16M142 56l-18 16M142 56l18 16" className="stroke-muted" />
      <Parcel x={142} y={106} />
      <path d="M112 140h60v-8h-60z" className="fill-primary" />
      <circle cx="198" cy="80" r="17" className="fill-paper" />
      <path d="M198 70v10l7 5" className="stroke-primary-ink" strokeWidth="3" />
      <path d="M118 116v6M166 116v6M142 116v6" className="stroke-muted" strokeDasharray="2 5" />
    </Picture>
  );
}

/** A dock gate that is being worked on; the parcels wait beside it. */
export function MaintenancePicture() {
  return (
    <Picture>
      <path d="M92 140V50h78v90" className="fill-paper" />
      <path d="M92 66h78M92 82h78M92 98h78" className="stroke-muted" />
      <path d="M84 50h94" strokeWidth="4" />
      <circle cx="131" cy="38" r="6" className="fill-primary" />
      <g transform="translate(131 92) rotate(45)">
        <path d="M-5 34V-8a14 14 0 0 1-4-22v14h18v-14a14 14 0 0 1-4 22v42a5 5 0 0 1-10 0z" className="fill-primary" />
      </g>
      <Parcel x={52} y={140} />
      <Parcel x={56} y={106} turn={-4} />
      <path d="M188 140l12-42l12 42z" className="fill-paper" />
      <path d="M192.500 124h15M196.500 110h7" className="stroke-primary-ink" strokeWidth="4" />
      <path d="M182 140h36" strokeWidth="4" />
    </Picture>
  );
}

/** A parcel that fell off its belt. */
export function SomethingWrongPicture() {
  return (
    <Picture>
      <rect x="24" y="84" width="112" height="14" rx="7" className="fill-paper" />
      {[36, 62, 88, 114].map((x) => (
        <circle key={x} cx={x + 5} cy="91" r="3" className="fill-primary stroke-none" />
      ))}
      <path d="M40 98v42M120 98v42" />
      <Parcel x={58} y={84} />
      <path d="M142 74c16 0 26 10 30 26" className="stroke-muted" strokeDasharray="3 6" />
      <g transform="translate(178 132) rotate(28)">
        <rect x="-22" y="-34" width="44" height="34" rx="3" className="fill-paper" />
        <path d="M-7 -34h14v12l-7 -4l-7 4z" className="fill-primary stroke-none" />
        <path d="M6 0l-5 -9l6 -4l-4 -9" className="stroke-bad" />
      </g>
      <path d="M206 84l8-8M210 98h11M190 78v-11" className="stroke-bad" strokeWidth="3" />
    </Picture>
  );
}

/** The next parcel, already on its way up. */
export function NewVersionPicture() {
  return (
    <Picture>
      <path d="M80 140c0-10 80-10 80 0" className="fill-paper" />
      <Parcel x={120} y={94} />
      <path d="M120 132v-26M110 116l10-10l10 10" className="stroke-primary-ink" strokeWidth="3" />
      <path
        d="M70 62l3 7l7 3l-7 3l-3 7l-3-7l-7-3l7-3zM178 44l2.500 6l6 2.500l-6 2.500l-2.500 6l-2.500-6l-6-2.500l6-2.500z"
        className="fill-primary stroke-none"
      />
    </Picture>
  );
}
