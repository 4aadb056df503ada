import { createRoute, redirect } from "@tanstack/react-router";
import { passOn } from "./session/guard.ts";
import { firstScreen, lazyScreen } from "./lazy-screen.ts";
import { declared, root } from "./root-route.tsx";

const signIn = createRoute({
  getParentRoute: () => root,
  ...declared("/signin"),
  beforeLoad: passOn,
  component: firstScreen(() => import("./sign-in/sign-in-page.tsx"), "SignInPage"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  ...declared("/invitation"),
  component: lazyScreen(() => import("./invitation/invitation-page.tsx"), "InvitationPage"),
});

const signUp = createRoute({
  getParentRoute: () => root,
  ...declared("/signup"),
  beforeLoad: passOn,
  component: lazyScreen(() => import("./sign-in/accounts/sign-up-page.tsx"), "SignUpPage"),
});

const confirmSignUp = createRoute({
  getParentRoute: () => root,
  ...declared("/confirm-signup"),
  component: lazyScreen(() => import("./sign-in/accounts/confirm-sign-up-page.tsx"), "ConfirmSignUpPage"),
});

const forgetPassword = createRoute({
  getParentRoute: () => root,
  ...declared("/forget-password"),
  component: lazyScreen(() => import("./sign-in/accounts/forget-password-page.tsx"), "ForgetPasswordPage"),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  ...declared("/reset-password"),
  component: lazyScreen(() => import("./sign-in/accounts/reset-password-page.tsx"), "ResetPasswordPage"),
});

const terms = createRoute({
  getParentRoute: () => root,
  ...declared("/terms"),
  component: lazyScreen(() => import("./sign-in/accounts/terms-page.tsx"), "TermsPage"),
});

const signInReturn = createRoute({
  getParentRoute: () => root,
  ...declared("/redirect"),
  beforeLoad: ({ location }) => {
    passOn();
    // Providers never come back without it.
    if (!new URLSearchParams(location.searchStr).has("state")) throw redirect({ to: "/signin", replace: true });
  },
  component: lazyScreen(() => import("./sign-in/providers/return-page.tsx"), "ReturnPage"),
});

/** The screens that can be opened without being signed in. */
export const waysIn = [signIn, invitation, signUp, confirmSignUp, forgetPassword, resetPassword, terms, signInReturn] as const;
