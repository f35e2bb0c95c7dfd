# SPDX-License-Identifier: Apache-2.0
"""The training steps of steps.h. `capturable`: with the optimizers that Python's users put into a graph, else with the default ones."""
import copy
import math

import torch
from torch import nn
from torch.nn import functional as F

DISCOUNT, TARGET_WEIGHT = 0.99, 0.005


def layers(inner, outer, hidden=256, activation=nn.ReLU):
    return nn.Sequential(nn.Linear(inner, hidden), activation(), nn.Linear(hidden, hidden), activation(), nn.Linear(hidden, outer))


def log_density(x, mean, log_deviation):
    scaled = (x - mean) * (-log_deviation).exp()
    return (scaled.square() * -0.5 - log_deviation - 0.5 * math.log(2 * math.pi)).sum(1)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def follow(targets, sources):
    with torch.no_grad():
        torch._foreach_lerp_(list(targets.parameters()), list(sources.parameters()), TARGET_WEIGHT)


class Mnist(nn.Module):
    def __init__(self, device, capturable):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 10, 5), nn.Conv2d(10, 20, 5)
        self.linear1, self.linear2 = nn.Linear(320, 50), nn.Linear(50, 10)
        self.to(device)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.5)

    def forward(self, images):
        x = F.max_pool2d(self.conv1(images), 2).relu()
        x = F.max_pool2d(F.dropout2d(self.conv2(x), 0.5, self.training), 2).relu()
        x = F.dropout(self.linear1(x.view(-1, 320)).relu(), 0.5, self.training)
        return self.linear2(x).log_softmax(1)

    def learn(self, images, labels):
        self.optimizer.zero_grad()
        loss = F.nll_loss(self(images), labels)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


class Critics(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = layers(23, 1), layers(23, 1)

    def first(self, observations, actions):
        return self.one(torch.cat((observations, actions), 1))

    def second(self, observations, actions):
        return self.two(torch.cat((observations, actions), 1))

    def lower(self, observations, actions):
        return torch.min(self.first(observations, actions), self.second(observations, actions))

    def loss(self, observations, actions, targets):
        return F.mse_loss(self.first(observations, actions), targets) + F.mse_loss(self.second(observations, actions), targets)


class Td3:
    def __init__(self, device, capturable):
        self.actor = nn.Sequential(*layers(17, 6), nn.Tanh()).to(device)
        self.critics = Critics().to(device)
        self.target_actor, self.target_critics = copy.deepcopy(self.actor), copy.deepcopy(self.critics)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=3e-4, capturable=capturable)
        self.critic_optimizer = torch.optim.Adam(self.critics.parameters(), lr=3e-4, capturable=capturable)

    def learn(self, observations, actions, following, rewards, ended):
        with torch.no_grad():
            noise = (torch.randn_like(actions) * 0.2).clamp(-0.5, 0.5)
            next_actions = (self.target_actor(following) + noise).clamp(-1, 1)
            targets = rewards + (1 - ended) * DISCOUNT * self.target_critics.lower(following, next_actions)
        critic_loss = self.critics.loss(observations, actions, targets)
        step(self.critic_optimizer, critic_loss)
        step(self.actor_optimizer, -self.critics.first(observations, self.actor(observations)).mean())
        follow(self.target_actor, self.actor)
        follow(self.target_critics, self.critics)
        return critic_loss.detach()


class Sac:
    LOWEST, HIGHEST = -5, 2

    def __init__(self, device, capturable):
        self.trunk = nn.Sequential(*layers(17, 1)[:4]).to(device)
        self.mean, self.log_deviation = nn.Linear(256, 6).to(device), nn.Linear(256, 6).to(device)
        self.critics = Critics().to(device)
        self.target_critics = copy.deepcopy(self.critics)
        self.log_temperature = torch.zeros(1, device=device, requires_grad=True)
        actor = [p for module in (self.trunk, self.mean, self.log_deviation) for p in module.parameters()]
        self.actor_optimizer = torch.optim.Adam(actor, lr=3e-4, capturable=capturable)
        self.critic_optimizer = torch.optim.Adam(self.critics.parameters(), lr=1e-3, capturable=capturable)
        self.temperature_optimizer = torch.optim.Adam([self.log_temperature], lr=1e-3, capturable=capturable)

    def draw(self, observations):
        features = self.trunk(observations)
        mean = self.mean(features)
        log_deviation = self.LOWEST + 0.5 * (self.HIGHEST - self.LOWEST) * (self.log_deviation(features).tanh() + 1)
        x = mean + log_deviation.exp() * torch.randn_like(mean)
        actions = x.tanh()
        likelihoods = log_density(x, mean, log_deviation) - (1 - actions.square() + 1e-6).log().sum(1)
        return actions, likelihoods.unsqueeze(1)

    def learn(self, observations, actions, following, rewards, ended):
        temperature = self.log_temperature.detach().exp()
        with torch.no_grad():
            next_actions, likelihoods = self.draw(following)
            values = self.target_critics.lower(following, next_actions) - temperature * likelihoods
            targets = rewards + (1 - ended) * DISCOUNT * values
        critic_loss = self.critics.loss(observations, actions, targets)
        step(self.critic_optimizer, critic_loss)
        drawn, likelihoods = self.draw(observations)
        step(self.actor_optimizer, (temperature * likelihoods - self.critics.lower(observations, drawn)).mean())
        step(self.temperature_optimizer, (-self.log_temperature.exp() * (likelihoods.detach() - 6)).mean())
        follow(self.target_critics, self.critics)
        return critic_loss.detach()


class Ppo:
    CLIP, VALUE_WEIGHT, ENTROPY_WEIGHT = 0.2, 0.5, 0.0

    def __init__(self, device, capturable):
        self.actor = layers(17, 6, 64, nn.Tanh).to(device)
        self.critic = layers(17, 1, 64, nn.Tanh).to(device)
        self.log_deviation = torch.zeros(1, 6, device=device, requires_grad=True)
        self.parameters = [self.log_deviation, *self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=3e-4, eps=1e-5, capturable=capturable)

    def learn(self, observations, actions, likelihoods, advantages, returns, values):
        log_deviation = self.log_deviation.expand(observations.shape[0], 6)
        ratios = (log_density(actions, self.actor(observations), log_deviation) - likelihoods).exp()
        normalised = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        policy_loss = torch.max(-normalised * ratios, -normalised * ratios.clamp(1 - self.CLIP, 1 + self.CLIP)).mean()
        found = self.critic(observations).view(-1)
        clipped = values + (found - values).clamp(-self.CLIP, self.CLIP)
        value_loss = 0.5 * torch.max((found - returns).square(), (clipped - returns).square()).mean()
        entropy = (log_deviation + 0.5 + 0.5 * math.log(2 * math.pi)).sum(1).mean()
        loss = policy_loss - self.ENTROPY_WEIGHT * entropy + self.VALUE_WEIGHT * value_loss
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, 0.5)
        self.optimizer.step()
        return loss.detach()
